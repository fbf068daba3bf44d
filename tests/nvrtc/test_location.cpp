// The tests of finding NVRTC; they need none.
#include <fstream>

#include "base/error.h"
#include "nvrtc/location_index.h"
#include "tests/nvrtc/test_place.h"

namespace minitorch::nvrtc {
namespace {

class LocationTest : public CacheTest {
 protected:
  void TearDown() override {
    set_locator({});
    set_environment("default");
    CacheTest::TearDown();
  }
};

TEST_F(LocationTest, SaysWhatToInstallWhenThereIsNone) {
  try {
    location();
    FAIL() << "no error";
  } catch (const base::StateError& error) {
    EXPECT_NE(std::string(error.what()).find("pip install \"minitorch-cuda[nvrtc13]\""),
              std::string::npos)
        << error.what();
  }
}

TEST_F(LocationTest, NamesTheOverrideThatLeadsNowhere) {
  setenv("MINITORCH_NVRTC", "/nowhere/libnvrtc.so", 1);
  try {
    location();
    FAIL() << "no error";
  } catch (const base::StateError& error) {
    EXPECT_NE(std::string(error.what()).find("MINITORCH_NVRTC=/nowhere/libnvrtc.so"),
              std::string::npos);
  }
}

TEST_F(LocationTest, IsSearchedForOnceAndRememberedForItsEnvironment) {
  const std::string library = folder_ + "/libnvrtc.so.13";
  std::ofstream(library) << "not a real library";
  int searches = 0;
  set_locator([&] {
    ++searches;
    return Location{library, {folder_}};
  });
  set_environment("venv");
  EXPECT_EQ(location().library, library);
  EXPECT_EQ(location().library, library);
  EXPECT_EQ(searches, 1);

  remember(index_row("venv", library, {folder_}));
  forget_location();
  EXPECT_EQ(location().library, library);
  EXPECT_EQ(version(), 13005);
  EXPECT_FALSE(loaded());
  EXPECT_EQ(searches, 1);

  set_environment("another");
  forget_location();
  EXPECT_EQ(location().library, library);
  EXPECT_EQ(searches, 2);
}

TEST_F(LocationTest, SaysThatALibraryDoesNotLoad) {
  const std::string library = folder_ + "/libnvrtc.so.13";
  std::ofstream(library) << "not a real library";
  setenv("MINITORCH_NVRTC", library.c_str(), 1);
  EXPECT_THROW(version(), base::StateError);
}

}  // namespace
}  // namespace minitorch::nvrtc
