// Tests each pass between PTX and steps on a few lines of PTX, by the listing of the
// program that it leaves.
#include <gtest/gtest.h>

#include <filesystem>

#include "base/error.h"
#include "engine_run.h"
#include "simt/program/engine.h"
#include "simt/program/passes.h"
#include "simt/program/print.h"

namespace minitorch::simt {
namespace {

/// A kernel k(out) whose thread's number is %r1, and the address of out[thread] %rd3.
std::string kernel_of(const std::string& body) {
  return module_text(
      ".visible .entry k(.param .u64 out)\n{\n"
      ".reg .pred %p<5>;\n.reg .b16 %h<9>;\n.reg .b32 %r<30>;\n.reg .b64 %rd<30>;\n"
      ".reg .f32 %f<9>;\n.shared .align 16 .b8 s[256];\n"
      "ld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 4;\n"
      "add.s64 %rd3, %rd1, %rd2;\n" +
      body + "\nret;\n}\n");
}

/// The lines of the program behind `pass`, without the numbers of PTX lines; of the
/// body only: what follows the address.
std::string behind(const std::string& pass, const std::string& text,
                   uint32_t checks = 0) {
  Machine machine(text);
  std::istringstream lines(program_text(machine.loaded(), "k", checks, pass));
  std::string made, line;
  while (std::getline(lines, line)) {
    const size_t bar = line.find(" | ");
    if (bar != std::string::npos) made += line.substr(bar + 3) + "\n";
  }
  return made;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// Where the lines stand in `text`, one behind the other.
void expect_order(const std::string& text, const std::vector<std::string>& lines) {
  size_t at = 0;
  for (const std::string& line : lines) {
    const size_t found = text.find(line, at);
    ASSERT_NE(found, std::string::npos) << line << " not in order in\n" << text;
    at = found + line.size();
  }
}

TEST(Passes, AliasesMakeRegistersOfConstantsThoseConstants) {
  const std::string text = behind("aliases", kernel_of("mov.u32 %r2, 7;"));
  expect_order(text, {"%rd1 is param[0]", "%r1 is %tid.x", "%r2 is 7"});
  const std::string twice =
      behind("aliases", kernel_of("mov.u32 %r2, 7;\nadd.u32 %r2, %r2, 1;"));
  EXPECT_FALSE(has(twice, "%r2 is 7")) << twice;
}

TEST(Passes, ExpandMakesConversionsExplicit) {
  const std::string text =
      behind("expand", kernel_of("add.u16 %h1, 1, 2;\ncvt.u32.u16 %r2, %h1;\n"
                                 "ld.global.s8 %r3, [%rd3];\nst.shared.u8 [s], %rd3;"));
  expect_order(text, {"%h1 = add.u16 1, 2", "%r3 = load.global.b8 [%rd3]",
                      "%r3 = sign_extend_8 %r3", "t0 = cvt.u32.u64 %rd3",
                      "store.shared.b8", "t0"});
}

TEST(Passes, ExpandLeavesGuardsAlone) {
  const std::string text = behind(
      "expand", kernel_of("setp.eq.u32 %p1, %r1, 3;\n@%p1 add.u32 %r2, %r1, 1;"));
  EXPECT_FALSE(has(text, "guard")) << text;
}

TEST(Passes, GuardsMaskArithmeticAndBranchAroundWhatMovesAPath) {
  const std::string text = behind(
      "guards", kernel_of("setp.eq.u32 %p1, %r1, 3;\n@!%p1 add.u32 %r2, %r1, 1;\n"
                          "@%p1 bar.sync 0;\n@%p1 bra END;\nEND:"));
  expect_order(text, {"guard_not %p1", "%r2 = add.u32", "unguard",
                      "branch_not %p1 past", "barrier", "join", "branch %p1 to"});
}

TEST(Passes, JoinsStandWhereDivergentWaysMeet) {
  const std::string body =
      "setp.eq.u32 %p1, %r1, 3;\n@%p1 bra END;\nadd.u32 %r2, %r1, 1;\n"
      "END:\nst.global.u32 [%rd3], %r1;";
  EXPECT_FALSE(has(behind("guards", kernel_of(body)), "\njoin"));
  expect_order(behind("joins", kernel_of(body)),
               {"branch %p1 to", ", join at", "add.u32", "join", "store.global"});
}

TEST(Passes, AccessesAreProbedByTheObserversAskedFor) {
  const std::string body = "ld.global.u32 %r2, [%rd3];\nst.global.u32 [%rd3], %r2;";
  EXPECT_FALSE(has(behind("accesses", kernel_of(body)), "probe"));
  expect_order(behind("accesses", kernel_of(body), MtCheck_All),
               {"probe uninitialised", "probe race", "load.global", "probe race",
                "store.global"});
}

TEST(Passes, AWrittenCopyIsLookedForBeforeTheProbesOfItsStore) {
  const std::string text =
      behind("accesses",
             kernel_of("cp.async.ca.shared.global [s], [%rd3], 4;\n"
                       "st.global.u32 [%rd3], %r1;\ncp.async.wait_all;"),
             MtCheck_Race);
  expect_order(text, {"load.global", "start_copy", "note_source", "check_sources",
                      "probe race", "store.global", "next_copy"});
}

TEST(Passes, TraceRecordsAnInstructionItsAccessesAndItsResults) {
  expect_order(behind("trace", kernel_of("ld.global.u32 %r2, [%rd3];"), MtCheck_Trace),
               {"%r1 is %tid.x", "probe trace_step", "probe trace_access",
                "load.global", "probe trace_values", "probe trace_result %r2"});
}

TEST(Passes, CountersCountRunsGuardsBranchesAndAccesses) {
  const std::string text =
      behind("counters",
             kernel_of("setp.eq.u32 %p1, %r1, 3;\n@%p1 add.u32 %r2, %r1, 1;\n"
                       "@%p1 bra END;\nld.global.u32 %r3, [%rd3];\n"
                       "ld.global.u32 %r4, [%rd3+32];\nEND:"),
             MtCheck_Counters);
  expect_order(text, {"probe count_run", "guard %p1", "probe count_run",
                      "%r2 = add.u32", "probe count_branch %p1", "branch %p1",
                      "probe count_run", "probe count_access", "%r3 = load"});
  // The second load takes the same sectors, as far as counting goes.
  const size_t second = text.find("%r3 = load");
  EXPECT_EQ(text.find("probe count_access", second), std::string::npos) << text;
}

TEST(Passes, DefinednessFollowsWhatNobodyGaveToItsUse) {
  const std::string text = behind(
      "definedness", kernel_of("add.u32 %r3, %r2, 1;\nst.global.u32 [%rd3], %r3;"),
      MtCheck_UninitLocal);
  expect_order(text, {"shadow(%r3) = shadow upward shadow(%r2)", "%r3 = add.u32 %r2, 1",
                      "shadow use shadow(%r3)", "store.global", "shadow forget"});
  EXPECT_FALSE(has(text, "shadow(%rd3)")) << text;
}

TEST(Passes, DefinednessOfAGuardIsAskedBeforeIt) {
  expect_order(behind("definedness", kernel_of("@%p1 add.u32 %r3, %r1, 1;"),
                      MtCheck_UninitLocal),
               {"shadow use shadow(%p1)", "guard %p1", "%r3 = add.u32"});
}

TEST(Passes, AddressPatternsAreForgottenByDefinitions) {
  const std::string text = behind(
      "address_patterns",
      kernel_of("ld.global.v2.u64 {%rd4, %rd5}, [%rd3];\nst.global.u32 [%rd4], %r1;\n"
                "st.global.u32 [%rd5], %r1;"));
  expect_order(text, {"%rd3 = add.s64", "forgets pattern of %rd3", "%rd4, %rd5 = load",
                      "forgets pattern of %rd4", "clear_pattern",
                      "forgets pattern of %rd5", "store.global"});
}

TEST(Passes, FuseJoinsLoadsAndTheirProductsWhereTheEngineCan) {
  if (!find_engine(active_isa()).fused_dot) GTEST_SKIP() << "no fused step here";
  const std::string triple =
      "ld.shared.f32 %f1, [%r2];\nld.shared.f32 %f2, [%r2+4];\n"
      "fma.rn.f32 %f3, %f1, %f2, %f4;\n";
  const std::string body = "mov.f32 %f4, 0f00000000;\nshl.b32 %r2, %r1, 2;\n" + triple +
                           "st.global.f32 [%rd3], %f3;";
  EXPECT_TRUE(has(behind("fuse", kernel_of(body)), "one step with 1 products"));
}

TEST(Passes, ReplayKeepsWhatOtherBlocksStillDo) {
  const std::string text =
      behind("replay", kernel_of("ld.global.u32 %r2, [%rd3];\nadd.u32 %r3, %r2, 1;\n"
                                 "st.global.u32 [%rd3], %r3;"));
  expect_order(text, {"%rd3 = add.s64", "%r2 = load", "; replayed", "%r3 = add.u32",
                      "; replayed", "store.global", "; replayed"});
  EXPECT_FALSE(has(text, "mul.wide.u32 %tid.x, 4   ; replayed")) << text;
}

TEST(Passes, StepsHaveRowsAndDistances) {
  const std::string text =
      behind("steps", kernel_of("setp.eq.u32 %p1, %r1, 3;\n@%p1 bra END;\n"
                                "st.global.u32 [%rd3], %r1;\nEND:"));
  // Two steps on: over the store.
  expect_order(text, {"step 0: d=", "step 3:", "b=2", "step 4:", "pattern=1"});
}

TEST(Passes, AnUnknownPassOrKernelIsNamedWithThoseThereAre) {
  Machine machine(kernel_of(""));
  const auto message = [&](const std::string& name, const std::string& pass) {
    try {
      program_text(machine.loaded(), name, 0, pass);
    } catch (const base::StateError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_TRUE(
      has(message("k", "expnd"), "got pass 'expnd'; need one of aliases, expand"));
  EXPECT_TRUE(has(message("j", "expand"), "got kernel 'j'; need one of k."));
}

// What no pass tests for itself: scratch holds nothing from one instruction to the
// next.
void expect_short_temporaries(const WarpProgram& program) {
  for (const WarpProgram::Group& group : program.groups) {
    std::vector<bool> written(program.values.all().size(), false);
    for (const WarpOp& op : group.ops) {
      for (Value from : op.sources) {
        const bool temporary = program.values[from].role == Values::Role::Temporary;
        EXPECT_TRUE(!temporary || written[from.id] || is_access_probe(op));
      }
      for (Value to : definitions(op)) written[to.id] = true;
    }
  }
}

TEST(Passes, TemporariesAreWrittenBeforeTheyAreReadInTheirInstruction) {
  for (const auto& file :
       std::filesystem::directory_iterator(MINITORCH_TEST_PTX "/simt")) {
    if (file.path().extension() != ".ptx") continue;
    SCOPED_TRACE(file.path().string());
    Machine machine(read_text(file.path()));
    const auto& functions = machine.loaded().module->functions;
    for (uint32_t i = 0; i < functions.size(); ++i) {
      if (!functions[i].entry) continue;
      lower_program(machine.loaded(), i, find_engine(active_isa()),
                    MtCheck_All | MtCheck_Counters | MtCheck_Trace,
                    [](const Pass& pass, const WarpProgram& program) {
                      if (pass.name == "steps") expect_short_temporaries(program);
                    });
    }
  }
}

}  // namespace
}  // namespace minitorch::simt
