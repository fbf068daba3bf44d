// The tests of recordings below Python: rows in chunks, scopes of threads, the end of a
// session while scopes are open.
#include "runtime/recording.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "base/error.h"
#include "base/loop_watch.h"
#include "runtime/memory.h"
#include "runtime/work_note.h"
#include "tests/runtime/emulator_place.h"

namespace minitorch::runtime {
namespace {

std::vector<std::string> names_of(const Recording& recording) {
  std::vector<std::string> names;
  for (const auto& row : recording.scopes()) names.emplace_back(row.record->name);
  return names;
}

using Names = std::vector<std::string>;

TEST(ChunkList, RowsStayWhereTheyAre) {
  ChunkList<int64_t> rows;
  EXPECT_EQ(rows.size(), 0U);
  const int64_t* first = rows.push(int64_t{0});
  for (int64_t i = 1; i < 200'000; ++i) rows.push(i);
  ASSERT_EQ(rows.size(), 200'000U);
  EXPECT_EQ(&rows.at(0), first);
  for (size_t i : {size_t{255}, size_t{256}, size_t{65'535}, size_t{65'536}})
    EXPECT_EQ(rows.at(i), static_cast<int64_t>(i));
}

TEST(ChunkList, DestroysItsRows) {
  const auto counted = std::make_shared<int>(1);
  {
    ChunkList<std::shared_ptr<int>> rows;
    for (int i = 0; i < 1000; ++i) rows.push(counted);
    EXPECT_EQ(counted.use_count(), 1001);
  }
  EXPECT_EQ(counted.use_count(), 1);
}

TEST(ChunkList, AReaderSeesWholeRows) {
  struct Pair {
    int64_t a, b;
  };
  ChunkList<Pair> rows;
  std::atomic<bool> done{false};
  std::thread writer([&] {
    for (int64_t i = 0; i < 100'000; ++i) rows.push(i, -i);
    done = true;
  });
  size_t seen = 0;
  while (!done || seen < rows.size()) {
    for (const size_t count = rows.size(); seen < count; ++seen) {
      ASSERT_EQ(rows.at(seen).a, static_cast<int64_t>(seen));
      ASSERT_EQ(rows.at(seen).b, -static_cast<int64_t>(seen));
    }
  }
  writer.join();
  EXPECT_EQ(seen, 100'000U);
}

TEST(RecordBudget, CountsWhatHasNoRoom) {
  RecordBudget budget;
  budget.limit = 2;
  EXPECT_TRUE(budget.take());
  EXPECT_TRUE(budget.take());
  EXPECT_FALSE(budget.take());
  EXPECT_FALSE(budget.take());
  EXPECT_EQ(budget.dropped, 2U);
}

TEST(Recording, NothingIsRecordedUnasked) {
  EXPECT_FALSE(is_recording());
  { const OpScope scope("add"); }
  EXPECT_EQ(log_place().log, nullptr);
  EXPECT_EQ(next_sequence(), -1);
}

TEST(Recording, ScopesKnowWhereTheyStandAndWhoIsAround) {
  const auto recording = Recording::open({});
  {
    const OpScope outer("outer");
    const OpScope inner("inner");
  }
  recording->close();
  ASSERT_EQ(names_of(*recording), (Names{"outer", "inner"}));
  const auto& rows = recording->scopes();
  EXPECT_EQ(rows[0].scope, -1);
  EXPECT_EQ(rows[1].scope, 0);
  EXPECT_NE(std::string(rows[0].record->file).find("test_recorder.cpp"),
            std::string::npos);
  EXPECT_EQ(rows[1].record->line, rows[0].record->line + 1);
  EXPECT_LE(rows[0].record->begin, rows[1].record->begin);
  EXPECT_LE(rows[1].record->end, rows[0].record->end);
}

TEST(Recording, AnOpWithinItsOwnNameIsTheSameCall) {
  const auto recording = Recording::open({});
  {
    const OpScope op("matmul");
    const OpScope same("matmul");
    const OpScope other("copy");
    const OpScope again("matmul");  // another one, for `copy`
  }
  recording->close();
  std::vector<ScopeKind> kinds;
  for (const auto& row : recording->scopes()) kinds.push_back(row.record->kind);
  EXPECT_EQ(kinds, (std::vector{ScopeKind::Op, ScopeKind::Inner, ScopeKind::Op,
                                ScopeKind::Op}));
}

TEST(Recording, LoopsOfAnOpAreToldToThoseWhoAsk) {
  const auto plain = Recording::open({});
  const auto recording = Recording::open({.loops = true});
  {
    const base::HostLoop outside("outside");  // of no op
    const OpScope op("op");
    {
      const base::HostLoop loop("loop");
      const base::HostLoop part("part");  // of the other
    }
    const OpScope after("after");
  }
  recording->close();
  plain->close();
  EXPECT_EQ(names_of(*recording), (Names{"op", "loop", "after"}));
  const auto& rows = recording->scopes();
  EXPECT_EQ(rows[1].record->kind, ScopeKind::Loop);
  EXPECT_EQ(rows[1].scope, 0);
  EXPECT_EQ(rows[2].scope, 0);
  EXPECT_GE(rows[1].record->end, rows[1].record->begin);
  EXPECT_EQ(names_of(*plain), (Names{"op", "after"}));
  EXPECT_EQ(base::loop_watch.load(), nullptr);
}

TEST(Recording, ALoopMayOutliveItsRecording) {
  const auto recording = Recording::open({.loops = true});
  const OpScope op("op");
  {
    const base::HostLoop loop("loop");
    recording->close();
    const auto next = Recording::open({.loops = true});
    { const base::HostLoop other("other"); }  // of no op of this recording
    next->close();
    EXPECT_TRUE(names_of(*next).empty());
  }
  EXPECT_EQ(names_of(*recording), (Names{"op", "loop"}));
}

TEST(Recording, ShapesAreThoseOfDefinedInputs) {
  const array::Array a(array::Dtype::Float32, array::Shape{2, 3},
                       array::Storage::host(24));
  const array::Array none;
  const auto recording = Recording::open({.shapes = true});
  { const OpScope scope("op", {&a, &none, nullptr, &a}); }
  recording->close();
  const auto& row = recording->scopes().at(0);
  ASSERT_EQ(row.record->input_count, 2U);
  const InputRecord& input = row.log->inputs.at(row.record->first_input + 1);
  EXPECT_EQ(input.shape, (array::Shape{2, 3}));
  EXPECT_EQ(input.dtype, array::Dtype::Float32);
}

TEST(Recording, AScopeMayOutliveItsRecordingAndTheNext) {
  const auto first = Recording::open({});
  {
    const OpScope around("around");
    first->close();
    const auto second = Recording::open({});
    { const OpScope within("within"); }
    second->close();
    EXPECT_EQ(names_of(*second), Names{"within"});
    EXPECT_EQ(second->scopes()[0].scope, -1);
  }
  EXPECT_EQ(names_of(*first), Names{"around"});
  EXPECT_EQ(first->scopes()[0].record->end, 0);  // it did not see the end
}

TEST(Recording, ASequenceNumberGoesToTheInnermostScope) {
  const auto recording = Recording::open({});
  int64_t number = -1;
  {
    const OpScope outer("outer");
    const OpScope inner("inner");
    number = next_sequence();
  }
  { const OpScope back("inner", number); }
  recording->close();
  const auto& rows = recording->scopes();
  EXPECT_GE(number, 0);
  EXPECT_EQ(rows[0].record->sequence, -1);
  EXPECT_EQ(rows[1].record->sequence, number);
  EXPECT_EQ(rows[2].record->sequence, number);
  EXPECT_EQ(rows[2].record->kind, ScopeKind::Backward);
}

TEST(Recording, ThreadsThatComeAndGoAreAllThere) {
  const auto recording = Recording::open({});
  constexpr int kThreads = 8, kScopes = 1000;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i)
    threads.emplace_back([] {
      for (int n = 0; n < kScopes; ++n) const OpScope scope("work");
    });
  for (std::thread& each : threads) each.join();
  recording->close();
  EXPECT_EQ(recording->scopes().size(), size_t{kThreads} * kScopes);
  EXPECT_EQ(recording->dropped(), 0U);
}

TEST(Recording, OpensAndClosesWhileThreadsWork) {
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i)
    threads.emplace_back([&stop] {
      while (!stop) {
        const OpScope outer("outer");
        const OpScope inner("inner");
      }
    });
  for (int round = 0; round < 200; ++round) {
    const auto recording = Recording::open({.most_records = 1000});
    { const OpScope own("own"); }
    recording->close();
    for (const auto& row : recording->scopes()) {
      const auto count = static_cast<int64_t>(recording->scopes().size());
      ASSERT_LT(row.scope, count);
    }
  }
  stop = true;
  for (std::thread& each : threads) each.join();
  EXPECT_FALSE(is_recording());
}

TEST(Recording, WithoutRoomIsRefused) {
  EXPECT_THROW(Recording::open({.most_records = 0}), base::ValueError);
  EXPECT_FALSE(is_recording());
}

TEST(Interned, EqualTextsAreOne) {
  const std::string a = "graph of 20 launches", b = a;
  EXPECT_EQ(interned(a), interned(b));
  EXPECT_NE(interned(a), interned("graph of 21 launches"));
  EXPECT_STREQ(interned(a), a.c_str());
}

TEST(Wait, HasANameForEachReason) {
  EXPECT_STREQ(name_of(WaitReason::Explicit), "explicit");
  EXPECT_STREQ(name_of(WaitReason::QueueFull), "queue_full");
  EXPECT_STREQ(name_of(WaitReason::Exchange), "exchange");
}

class WorkNoteTest : public EmulatorTest {};

TEST_F(WorkNoteTest, CopiesAndFillsHaveTimesAndOneWaitIsOne) {
  const auto memory = allocate(64);
  std::vector<std::byte> host(64);
  const auto recording = Recording::open({.device = true});
  copy_to_device(memory->pointer(), host.data(), host.size());
  fill_bytes(memory->pointer(), 0, 32);
  copy_to_host(host.data(), memory->pointer(), host.size(), WaitReason::Value);
  recording->close();
  ASSERT_EQ(recording->works().size(), 3U);
  const WorkRecord& fill = *recording->works()[1].record;
  EXPECT_EQ(fill.kind, WorkKind::Fill);
  EXPECT_EQ(fill.bytes, 32U);
  for (size_t i = 0; i < 3; ++i) {
    const Recording::DeviceTime& time = recording->device_times()[i];
    EXPECT_GE(time.begin, recording->works()[i].record->host_begin);
    EXPECT_LE(time.begin, time.end);
    EXPECT_GE(time.depth, 0);
  }
  ASSERT_EQ(recording->waits().size(), 1U);
  EXPECT_EQ(recording->waits()[0].record->reason, WaitReason::Value);
}

TEST_F(WorkNoteTest, WorkThatIsNotQueuedLeavesNoRecord) {
  const auto recording = Recording::open({.device = true});
  { const WorkNote note(current_device(), nullptr, WorkKind::Graph); }
  {
    WorkNote note(current_device(), nullptr, WorkKind::Graph);
    note.call_it(interned("graph of 2 launches"));
    note.queued();
  }
  recording->close();
  ASSERT_EQ(recording->works().size(), 1U);
  EXPECT_STREQ(recording->works()[0].record->name, "graph of 2 launches");
}

}  // namespace
}  // namespace minitorch::runtime
