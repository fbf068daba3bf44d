// The making of kernels whose addresses are wild: near 0, near 2^64, near both
// ends of every space and window, mixed in one warp and changing from round to round.
//
// kernel(p0, p1, out, pack): p0 and p1 are addresses as well, out has 8 bytes a thread.
#pragma once

#include <sstream>
#include <string>
#include <vector>

#include "fuzz.h"
#include "simt/memory/memory.h"

namespace fuzz {

namespace simt = minitorch::simt;

/// Where memory lies in which a kernel may be, as the launch will find it.
struct Places {
  uint64_t arena = 0, arena_end = 0;
  uint64_t big = 0, big_size = 0;      // written as a whole
  uint64_t small = 0, small_size = 0;  // its size is no multiple of anything
  uint64_t freed = 0;
  uint64_t pinned = 0, pinned_size = 0;
};

class AddressProgram {
 public:
  static constexpr uint32_t kPack = 24;
  static constexpr uint64_t kShared = simt::kSharedBase;
  static constexpr uint64_t kLocal = simt::kLocalBase;

  AddressProgram(uint64_t seed, const Places& places) : random_(seed), places_(places) {
    shared_ = random_.of({4u, 16u, 64u, 100u, 512u, 4096u});
    local_ = random_.of({16u, 32u, 64u, 256u});
    rarity_ = random_.of({3, 10, 40});
    dynamic_ = random_.one_in(3) ? random_.of({1u, 16u, 100u, 1024u}) : 0;
    threads = random_.of({1u, 7u, 31u, 32u, 32u, 32u, 33u, 64u, 64u, 96u});
    straight_ = random_.one_in(5);
    grid = straight_ ? random_.of({2u, 5u, 16u}) : random_.of({1u, 1u, 1u, 2u, 3u});
    if (straight_) threads = random_.of({32u, 64u});
    p0 = address();
    p1 = random_.one_in(2) ? address() : places_.big;
    make();
  }

  std::string text;
  uint32_t threads = 32, grid = 1;
  uint64_t p0 = 0, p1 = 0;
  uint32_t dynamic() const { return dynamic_; }
  /// Whether the oracle must come to the same end, and to the same memory.
  bool same_end = true, same_kind = true, same_memory = true;

 private:
  using Strings = std::vector<std::string>;

  static std::string number(uint64_t value) { return std::to_string(value); }
  void line(const std::string& text) { body_ << "  " << text << ";\n"; }
  std::string fresh(char letter) {
    uint32_t& count = letter == 'd' ? doubles_ : letter == 'p' ? predicates_ : words_;
    return std::string("%") + letter + number(count++);
  }

  /// Most kernels are to come far before their first fault, if they have one.
  bool wild() { return random_.one_in(rarity_); }

  uint64_t near_by(uint64_t place) {
    const uint64_t steps[] = {0, 1, 2, 4, 8, 16, 32, 64, 124, 128, 256, 508, 512, 4096};
    const uint64_t away = steps[random_.below(std::size(steps))];
    return random_.one_in(2) ? place + away : place - away;
  }

  /// One of the ends of a piece of memory, or a place in it.
  uint64_t of_piece(uint64_t begin, uint64_t size) {
    if (!wild()) return begin + random_.below(size / 32 + 1) * 16;
    switch (random_.below(3)) {
      case 0:
        return near_by(begin);
      case 1:
        return near_by(begin + size);
      default:
        return begin + random_.below(size / 16 + 1) * 16;
    }
  }

  uint64_t address() {
    const uint64_t shared = kShared + simt::kSharedWindow;
    const uint64_t local = kLocal + simt::kLocalWindow;
    switch (wild() ? random_.below(16) : random_.of({5, 6, 8, 9, 12, 13})) {
      case 0:
        return near_by(0);
      case 1:
        return near_by(random_.of({uint64_t{1} << 32, uint64_t{1} << 31,
                                   uint64_t{1} << 47, uint64_t{1} << 63}));
      case 2:
        return near_by(random_.of({uint64_t{1}, uint64_t{2}, uint64_t{3}, uint64_t{4},
                                   uint64_t{0xff}})
                       << 56);
      case 3:
        return near_by(random_.one_in(2) ? places_.arena : places_.arena_end);
      case 4:
        return near_by(places_.freed);
      case 5:
        return of_piece(shared, shared_ + dynamic_);
      case 6:
        return of_piece(local, local_);
      case 7:
        return of_piece(random_.one_in(2) ? kShared : 0, shared_);
      case 8:
        return of_piece(places_.pinned, places_.pinned_size);
      case 9:
      case 10:
        return of_piece(places_.small, places_.small_size);
      case 11:
        return random_.bits() >> random_.below(64);
      default:
        return of_piece(places_.big, places_.big_size);
    }
  }

  uint64_t offset() {
    if (!wild()) return 16 * random_.below(2);
    switch (random_.below(5)) {
      case 0:
        return near_by(0);
      case 1:
        return near_by(random_.one_in(2) ? shared_ : local_);
      case 2:
        return near_by(
            random_.of({kShared, kLocal, uint64_t{1} << 31, uint64_t{1} << 32,
                        uint64_t{1} << 63, uint64_t{1} << 56, 0 - kShared}));
      case 3:
        return places_.big - address();
      default:
        return 16 * random_.below(3);
    }
  }

  uint64_t stride() {
    if (!wild()) return random_.of({0, 4, 8, 16});
    return random_.of({uint64_t{1}, uint64_t{2}, uint64_t{4}, uint64_t{32},
                       uint64_t{4096}, uint64_t{4097}, ~uint64_t{3}, ~uint64_t{7},
                       ~uint64_t{15}, ~uint64_t{127}, uint64_t{1} << 31,
                       uint64_t{1} << 32, uint64_t{1} << 56, uint64_t{1} << 60,
                       (uint64_t{1} << 60) + 4});
  }

  /// A 64-bit register with an address, the same in all lanes.
  std::string base(const std::string& space = "") {
    const std::string to = fresh('d');
    if (space == ".global" && !wild()) {
      line("mov.u64 " + to + ", " + number(of_piece(places_.big, places_.big_size)));
      return to;
    }
    switch (random_.below(12)) {
      case 0:
        line("ld.param.u64 " + to + ", [p0]");
        break;
      case 1:
      case 2:
        line("ld.param.u64 " + to + ", [p1]");
        break;
      case 3:
        line("cvta.shared.u64 " + to + ", %sh");
        break;
      case 4:
        line("cvta.local.u64 " + to + ", %lo");
        break;
      case 5:
        line("mov.u64 " + to + ", " + (random_.one_in(2) ? "values" : "table"));
        break;
      case 6:
        line("add.u64 " + to + ", %sh, " + number(offset()));
        break;
      case 7:
        line("add.u64 " + to + ", %lo, " + number(offset()));
        break;
      default:
        line("mov.u64 " + to + ", " + number(address()));
    }
    return to;
  }

  /// A predicate that differs from lane to lane.
  std::string lanes() {
    const std::string to = fresh('p');
    if (random_.one_in(3)) {
      const std::string bit = fresh('r');
      line("and.b32 " + bit + ", %lane, " + number(uint64_t{1} << random_.below(5)));
      line("setp.ne.u32 " + to + ", " + bit + ", 0");
    } else {
      line("setp." + random_.of({"lt", "ge", "eq", "ne"}) + ".u32 " + to + ", %lane, " +
           number(random_.of({0, 1, 3, 4, 8, 15, 16, 17, 24, 31, 32})));
    }
    return to;
  }

  std::string with_lanes(const std::string& from) {
    const std::string to = fresh('d');
    const std::string by = straight_ && random_.one_in(2) ? "%global64" : "%lane64";
    line("mad.lo.u64 " + to + ", " + by + ", " + number(stride()) + ", " + from);
    return to;
  }

  std::string lane_addresses(const std::string& space = "") {
    const std::string one = with_lanes(base(space));
    if (straight_ || random_.below(3) != 0) return one;
    const std::string other = random_.one_in(2) ? with_lanes(base(space)) : base(space);
    const std::string chosen = fresh('d');
    line("selp.b64 " + chosen + ", " + one + ", " + other + ", " + lanes());
    return chosen;
  }

  std::string narrow(const std::string& wide) {
    const std::string to = fresh('r');
    line("cvt.u32.u64 " + to + ", " + wide);
    return to;
  }

  /// The base of an access in one space: a window's own addresses are mostly meant.
  std::string in_space(const std::string& space) {
    if ((space == ".shared" || space == ".local") && random_.one_in(6)) {
      return around_zero(space == ".shared");
    }
    if ((space == ".shared" || space == ".local") && (!wild() || random_.one_in(2))) {
      const bool shared = space == ".shared";
      const std::string from = fresh('d');
      const uint64_t size = shared ? shared_ + dynamic_ : local_;
      const std::string symbol = shared ? "%sh" : "%lo";
      switch (wild() ? random_.below(4) : 3) {
        case 0:
          line("mov.u64 " + from + ", " + number(near_by(0)));
          break;
        case 1:
          line("mov.u64 " + from + ", " +
               number(of_piece(shared ? kShared : kLocal, size)));
          break;
        default:
          line("add.u64 " + from + ", " + symbol + ", " + number(of_piece(0, size)));
      }
      return with_lanes(from);
    }
    if (space == ".const" && !wild()) {
      const std::string from = fresh('d');
      line("mov.u64 " + from + ", table");
      return with_lanes(from);
    }
    return lane_addresses(space);
  }

  std::string operand_for(const std::string& space, const std::string& wide) {
    const bool small = (space == ".shared" || space == ".local") && random_.one_in(2);
    const uint64_t window = wide == around_zero_ ? window_ : 0;
    const uint64_t behind = window + offset();
    if (small && random_.one_in(3)) return wrapping(wide, behind);
    return "[" + (small ? narrow(wide) : wide) + "+" + number(behind) + "]";
  }

  /// The same place by a 32-bit base far away, often negative, and what leads back.
  std::string wrapping(const std::string& wide, uint64_t behind) {
    const uint64_t away =
        random_.of({uint64_t{16}, uint64_t{4096}, uint64_t{1} << 30, uint64_t{1} << 31,
                    uint64_t{0xfffffff0}, random_.bits() & 0xfffffff0});
    const std::string low = fresh('r');
    line("sub.u32 " + low + ", " + narrow(wide) + ", " + number(away));
    const auto back = static_cast<int32_t>(static_cast<uint32_t>(behind + away));
    return "[" + low + "+" + std::to_string(back) + "]";
  }

  /// Addresses on both sides of 0, which an immediate puts into their window.
  std::string around_zero(bool shared) {
    const std::string low = fresh('d'), high = fresh('d'), half = fresh('p');
    const std::string chosen = fresh('d');
    window_ = shared ? kShared : kLocal;
    line("mov.u64 " + low + ", " +
         number(16 * random_.below(3) - 16 * random_.below(9)));
    line("mov.u64 " + high + ", " + number(16 * random_.below(3)));
    line("setp.lt.u32 " + half + ", %lane, " + number(random_.of({1, 8, 16, 16, 16})));
    line("selp.b64 " + chosen + ", " + high + ", " + low + ", " + half);
    around_zero_ = with_lanes(chosen);
    return around_zero_;
  }

  void use(const std::string& value) {
    const std::string wide = fresh('d'), next = fresh('d');
    if (value[1] == 'd') {
      line("mov.b64 " + wide + ", " + value);
    } else {
      line("cvt.u64.u32 " + wide + ", " + value);
    }
    if (!straight_) return line("xor.b64 %sum, %sum, " + wide);
    line("xor.b64 " + next + ", " + sum_ + ", " + wide);
    sum_ = next;
  }

  void load(const std::string& space, const std::string& wide) {
    const std::string type = random_.of({"b8", "u8", "s8", "b16", "s16", "b32", "b32",
                                         "u32", "f32", "b64", "b64", "u64", "f64"});
    const bool eight = type.find("64") != std::string::npos;
    const uint64_t most = space == ".const" || eight ? 2 : 3;
    const uint64_t vector = uint64_t{1} << random_.below(most);
    const char letter = eight ? 'd' : 'r';
    std::string to;
    Strings values;
    for (uint64_t i = 0; i < vector; ++i) {
      values.push_back(fresh(letter));
      line(std::string("mov.b") + (eight ? "64 " : "32 ") + values.back() + ", 0");
      to += (i ? ", " : "") + values.back();
    }
    if (straight_) {  // registers are written once there
      values.clear();
      to.clear();
      for (uint64_t i = 0; i < vector; ++i) {
        values.push_back(fresh(letter));
        to += (i ? ", " : "") + values.back();
      }
    }
    const bool strong = space != ".const" && space != ".local" && random_.one_in(8);
    line(guard() + "ld" + (strong ? ".volatile" : "") + space +
         (vector == 1 ? "" : ".v" + number(vector)) + "." + type + " " +
         (vector == 1 ? to : "{" + to + "}") + ", " + operand_for(space, wide));
    for (const std::string& value : values) use(value);
  }

  void store(const std::string& space, const std::string& wide) {
    const std::string type =
        random_.of({"b8", "u8", "b16", "b32", "b32", "f32", "b64", "b64", "f64"});
    const bool eight = type.find("64") != std::string::npos;
    const uint64_t vector = uint64_t{1} << random_.below(eight ? 2 : 3);
    std::string from;
    for (uint64_t i = 0; i < vector; ++i) {
      from += std::string(i ? ", " : "") + (eight ? "%global64" : "%mark");
    }
    line(guard() + "st" + space + (vector == 1 ? "" : ".v" + number(vector)) + "." +
         type + " " + operand_for(space, wide) + ", " +
         (vector == 1 ? from : "{" + from + "}"));
  }

  void atomic(const std::string& space, const std::string& wide) {
    const std::string form =
        random_.of({"add.u32", "add.u64", "min.s32", "max.u32", "and.b32", "or.b32",
                    "xor.b32", "xor.b64", "exch.b32", "exch.b64", "cas.b32", "cas.b64",
                    "cas.b16", "inc.u32", "dec.u32", "add.f32", "add.f64", "max.s64"});
    const bool eight = form.find("64") != std::string::npos;
    const bool half = form.find("16") != std::string::npos;
    const bool swaps = form.rfind("cas", 0) == 0;
    const bool ordered = form.rfind("ex", 0) == 0 || swaps || form[2] == 'c' ||
                         form.find(".f") != std::string::npos;
    if (ordered) same_memory = false;
    const std::string value = half ? "%half" : eight ? "%global64" : "%mark";
    const std::string operands =
        operand_for(space, wide) + ", " + value + (swaps ? ", " + value : "");
    const bool reduces = random_.one_in(2) && !ordered;
    if (reduces) return line(guard() + "red" + space + "." + form + " " + operands);
    same_memory = false;
    const std::string to = half ? "%back" : fresh(eight ? 'd' : 'r');
    line(guard() + "atom" + space + "." + form + " " + to + ", " + operands);
  }

  void copy_async() {
    const uint64_t size = random_.of({4, 8, 16});
    const std::string to = in_space(".shared"), from = lane_addresses(".global");
    std::string rest;
    if (random_.one_in(3)) {
      rest = ", " + (random_.one_in(2) ? number(random_.below(18)) : "%lane");
    }
    line(guard() + "cp.async." + (size == 16 ? "cg" : "ca") + ".shared.global " +
         operand_for(".shared", to) + ", " + operand_for(".global", from) + ", " +
         number(size) + rest);
    same_kind = false;  // which of its two addresses is looked at first is free
    line("cp.async.commit_group");
    line(random_.one_in(2) ? "cp.async.wait_all" : "cp.async.wait_group 0");
  }

  void matrix_rows() {
    const uint64_t count = random_.of({1, 2, 4});
    std::string to;
    Strings values;
    for (uint64_t i = 0; i < count; ++i) {
      values.push_back(fresh('r'));
      to += (i ? ", " : "") + values.back();
    }
    line("ldmatrix.sync.aligned.m8n8.x" + number(count) +
         (random_.one_in(2) ? ".trans" : "") + ".shared.b16 {" + to + "}, " +
         operand_for(".shared", in_space(".shared")));
    for (const std::string& value : values) use(value);
  }

  void fragment() {
    const std::string space = random_.of({".global", ".shared", ""});
    const std::string at = random_.one_in(4) ? in_space(space) : base(space);
    std::string rows;
    Strings values;
    const bool stores = random_.one_in(3);
    for (uint64_t i = 0; i < 8; ++i) {
      values.push_back(stores ? "%real" : fresh('r'));
      rows += (i ? ", " : "") + values.back();
    }
    const std::string stride = random_.one_in(2) ? "16" : "%mark";
    const std::string layout = random_.one_in(2) ? "row" : "col";
    const std::string place = "[" + at + "+" + number(16 * random_.below(3)) + "]";
    if (stores) {
      line("wmma.store.d.sync.aligned." + layout + ".m16n16k16" + space + ".f32 " +
           place + ", {" + rows + "}, " + stride);
    } else {
      line("wmma.load.a.sync.aligned." + layout + ".m16n16k16" + space + ".f16 {" +
           rows + "}, " + place + ", " + stride);
      for (const std::string& value : values) use(value);
    }
  }

  void parameter() {
    const std::string wide = fresh('d'), to = fresh('r');
    line("mov.b64 " + wide + ", pack");
    const std::string at = wild() ? with_lanes(wide) : wide;
    line("ld.param.u32 " + to + ", [" + at + "+" + number(offset()) + "]");
    use(to);
  }

  void call() {
    const std::string function = fresh('d'), to = fresh('d');
    const std::string name = random_.of({"callee", "callee", "other", "deep"});
    if (name == "other") same_end = same_memory = false;  // of another shape
    line("mov.u64 " + function + ", " + name);
    if (wild()) {
      same_end = same_memory = false;
      line("add.u64 " + to + ", " + function + ", " +
           number(random_.of({uint64_t{1}, uint64_t{2}, ~uint64_t{0}, uint64_t{100},
                              uint64_t{1} << 32, uint64_t{1} << 56})));
    } else if (random_.one_in(2)) {
      const std::string second = fresh('d');
      line("mov.u64 " + second + ", callee");
      line("selp.b64 " + to + ", " + function + ", " + second + ", " + lanes());
    } else {
      line("mov.u64 " + to + ", " + function);
    }
    const std::string back = fresh('r');
    const std::string value = lane_addresses();
    body_ << "  { .param .b64 a; .param .b32 r; st.param.b64 [a], " << value
          << ";\n    call (r), " << to << ", (a), prototype; ld.param.b32 " << back
          << ", [r]; }\n";
    use(back);
  }

  void runtime() {
    const std::string at = random_.one_in(2) ? lane_addresses() : base();
    same_memory = false;
    switch (wild() ? random_.below(3) : 1 + random_.below(2)) {
      case 0:
        body_ << "  { .param .b64 a; st.param.b64 [a], " << at
              << "; call free, (a); }\n";
        return;
      case 1: {
        const std::string to = fresh('d');
        const uint64_t size = wild() ? address() : 1 + random_.below(300);
        body_ << "  { .param .b64 n; .param .b64 r; st.param.b64 [n], " << size
              << "; call (r), malloc, (n); ld.param.b64 " << to << ", [r]; }\n";
        same_end = false;  // each gets memory of its own
        if (random_.one_in(2)) store("", with_lanes(to));
        if (random_.one_in(2)) {
          body_ << "  { .param .b64 a; st.param.b64 [a], " << to
                << "; call free, (a); }\n";
        }
        if (random_.one_in(3)) load("", to);
        return;
      }
      default: {
        same_end = false;
        const std::string format = fresh('d'), arguments = lane_addresses();
        if (random_.one_in(2)) {
          line("mov.u64 " + format + ", format");
        } else {
          line("mov.u64 " + format + ", " + at);
        }
        body_ << "  { .param .b64 f; .param .b64 a; .param .b32 r; st.param.b64 [f], "
              << format << "; st.param.b64 [a], " << arguments
              << ";\n    call (r), vprintf, (f, a); }\n";
      }
    }
  }

  void jump() {
    const std::string index = fresh('r');
    const std::string n = number(labels_++);
    line((wild() ? random_.of({"add.u32 ", "mul.lo.u32 "}) : "and.b32 ") + index +
         ", %lane, " +
         number(wild() ? random_.of(
                             {uint64_t{0x80000000}, uint64_t{0xffffffff}, uint64_t{5}})
                       : random_.of({0, 1})));
    body_ << "  $T" << n << ": .branchtargets $A" << n << ", $B" << n << ", $C" << n
          << ", $B" << n << ";\n";
    line("brx.idx " + index + ", $T" + n);
    body_ << "$A" << n << ":\n";
    store(".global", with_lanes(base(".global")));
    body_ << "$B" << n << ":\n  bra $C" << n << ";\n$C" << n << ":\n";
  }

  std::string guard() { return guard_.empty() ? "" : "@" + guard_ + " "; }

  void unit() {
    const std::string space =
        straight_ ? ".global"
                  : random_.of({".global", ".global", "", "", "", ".shared", ".shared",
                                ".local", ".const"});
    if (!straight_ && random_.one_in(3)) guard_ = lanes();
    const uint64_t kind = random_.below(straight_ ? 8 : 22);
    if (kind < 4 || space == ".const") {
      load(space, in_space(space));
    } else if (kind < 10) {
      store(space, in_space(space));
    } else if (kind < 14) {
      if (space == ".local") {
        store(space, in_space(space));
      } else {
        atomic(space, in_space(space));
      }
    } else if (kind < 16) {
      copy_async();
    } else if (kind == 16) {
      guard_.clear();
      if (threads % 32 == 0) matrix_rows();
    } else if (kind == 17) {
      guard_.clear();
      if (threads % 32 == 0) fragment();
    } else if (kind == 18) {
      guard_.clear();
      parameter();
    } else if (kind == 19) {
      guard_.clear();
      if (!in_loop_) call();
    } else if (kind == 20) {
      guard_.clear();
      runtime();
    } else {
      guard_.clear();
      if (!in_loop_) jump();
    }
    guard_.clear();
  }

  /// One access whose window changes from round to round.
  void rounds() {
    const std::string space =
        random_.of({"", "", "", ".global", ".shared", ".shared", ".local"});
    const std::string first = in_space(space), second = in_space(space);
    const std::string n = number(labels_++);
    line("mov.u32 %round, 0");
    body_ << "$R" << n << ":\n";
    in_loop_ = true;
    const std::string odd = fresh('r'), parity = fresh('p'), at = fresh('d');
    line("and.b32 " + odd + ", %round, 1");
    line("setp.eq.u32 " + parity + ", " + odd + ", 0");
    line("selp.b64 " + at + ", " + first + ", " + second + ", " + parity);
    if (first == around_zero_ || second == around_zero_) around_zero_ = at;
    if (random_.one_in(3)) guard_ = lanes();
    switch (random_.below(4)) {
      case 0:
        store(space, at);
        break;
      case 1:
        space == ".local" ? store(space, at) : atomic(space, at);
        break;
      default:
        load(space, at);
    }
    guard_.clear();
    line("add.u32 %round, %round, 1");
    const std::string again = fresh('p');
    line("setp.lt.u32 " + again + ", %round, " + number(2 + random_.below(3)));
    line("@" + again + " bra $R" + n);
    in_loop_ = false;
  }

  /// Part of the block leaves, or goes round the rest.
  void leave() {
    if (random_.below(3) != 0) return;
    const std::string some = fresh('p');
    line("setp.ge.u32 " + some + ", %global, " +
         number(random_.below(uint64_t{threads} * grid + 1)));
    line("@" + some + " bra $end");
  }

  void make() {
    if (straight_) {
      leave();
      for (uint64_t i = 1 + random_.below(3); i > 0; --i) unit();
    } else {
      for (uint64_t i = 1 + random_.below(3); i > 0; --i) {
        random_.one_in(3) ? rounds() : unit();
        if (random_.one_in(6) && threads % 32 == 0) line("bar.sync 0");
      }
    }
    text = head() + body_.str() + tail();
  }

  std::string head() const {
    std::ostringstream out;
    out << ".version 8.3\n.target sm_90\n.address_size 64\n"
           ".const .align 16 .b8 table[68] = {1, 2, 3};\n"
           ".global .align 16 .b8 values[260];\n"
           ".global .align 1 .b8 format[16] = {37, 115, 32, 37, 46, 42, 100, 32, 37, "
           "108, 108, 120, 10, 0};\n"
           ".extern .func (.param .b64 r) malloc(.param .b64 n);\n"
           ".extern .func free(.param .b64 a);\n"
           ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n";
    if (dynamic_ != 0) out << ".extern .shared .align 16 .b8 dynamic[];\n";
    out << ".func (.param .b32 r) callee(.param .b64 a)\n{\n  .reg .b64 %d<2>; .reg "
           ".b32 "
           "%r<2>;\n  .local .align 8 .b8 own[48];\n  ld.param.b64 %d0, [a];\n  "
           "st.local"
           ".b32 [own+36], %r1;\n  ld.b32 %r0, [%d0];\n  st.param.b32 [r], %r0;\n  "
           "ret;\n}\n"
           ".func (.param .b32 r) other(.param .b64 a, .param .b64 b)\n{\n  .reg .b32 "
           "%r<2>;\n  .shared .align 4 .b8 big[30000];\n  mov.u32 %r0, 7;\n  st.shared"
           ".b32 [big+29996], %r0;\n  st.param.b32 [r], %r0;\n  ret;\n}\n"
           ".func (.param .b32 r) deep(.param .b64 a)\n{\n  .reg .b64 %d<2>; .reg .b32 "
           "%r<2>;\n  .local .align 8 .b8 own[2000];\n  mov.u64 %d0, own;\n  cvta.local"
           ".u64 %d0, %d0;\n  { .param .b64 x; .param .b32 y; st.param.b64 [x], %d0;\n "
           " "
           "call (y), callee, (x); ld.param.b32 %r0, [y]; }\n  st.param.b32 [r], %r0;\n"
           "  ret;\n}\n"
           ".visible .entry kernel(.param .u64 p0, .param .u64 p1, .param .u64 out, "
           ".param .align 8 .b8 pack["
        << kPack << "])\n{\n  .reg .pred %p<" << predicates_ + 1 << ">;\n  .reg .b16 "
        << "%half, %back;\n  .reg .f32 %real;\n  .reg .b32 %r<" << words_ + 1
        << ">, %lane, %global, %mark, %round;\n  .reg .b64 %d<" << doubles_ + 1
        << ">, %lane64, %global64, %sum, %sh, %lo, %out, %at;\n  .shared .align 16 .b8 "
        << "sh[" << shared_ << "];\n  .local .align 16 .b8 lo[" << local_ << "];\n"
        << "  prototype: .callprototype (.param .b32 _) _ (.param .b64 _);\n"
        << "  ld.param.u64 %out, [out];\n  mov.u32 %lane, %tid.x;\n  mov.u32 %global, "
           "%ctaid.x;\n  mov.u32 %mark, %ntid.x;\n";
    // Straight kernels write each register once.
    if (straight_) {
      out.str("");
      out << straight_head();
    } else {
      out << "  mad.lo.u32 %global, %global, %mark, %lane;\n  mad.lo.u32 %mark, "
             "%global, 257, 3;\n  cvt.u64.u32 %lane64, %lane;\n  cvt.u64.u32 "
             "%global64, "
             "%global;\n  mov.u64 %sum, 0;\n  mov.u64 %sh, sh;\n  mov.u64 %lo, lo;\n  "
             "cvt.u16.u32 %half, %mark;\n  mov.b32 %real, %mark;\n";
    }
    return out.str();
  }

  std::string straight_head() const {
    std::ostringstream out;
    out << ".version 8.3\n.target sm_90\n.address_size 64\n"
           ".const .align 16 .b8 table[68] = {1, 2, 3};\n"
           ".global .align 16 .b8 values[260];\n"
           ".visible .entry kernel(.param .u64 p0, .param .u64 p1, .param .u64 out, "
           ".param .align 8 .b8 pack["
        << kPack << "])\n{\n  .reg .pred %p<" << predicates_ + 1
        << ">;\n  .reg .b32 %r<" << words_ + 1
        << ">, %lane, %global, %mark, %block, %many;\n  .reg .b64 %d<" << doubles_ + 1
        << ">, %lane64, %global64, %sum, %sh, %lo, %out, %at;\n  .shared .align 16 .b8 "
        << "sh[" << shared_ << "];\n  .local .align 16 .b8 lo[" << local_ << "];\n"
        << "  ld.param.u64 %out, [out];\n  mov.u32 %lane, %tid.x;\n  mov.u32 %block, "
           "%ctaid.x;\n  mov.u32 %many, %ntid.x;\n  mad.lo.u32 %global, %block, %many, "
           "%lane;\n  mad.lo.u32 %mark, %global, 257, 3;\n  cvt.u64.u32 %lane64, "
           "%lane;\n  cvt.u64.u32 %global64, %global;\n  mov.u64 %sum, 0;\n  mov.u64 "
           "%sh, sh;\n  mov.u64 %lo, lo;\n";
    return out.str();
  }

  std::string tail() const {
    return "  mad.lo.u64 %at, %global64, 8, %out;\n  st.global.u64 [%at], " + sum_ +
           ";\n$end:\n  ret;\n}\n";
  }

  Random random_;
  Places places_;
  std::ostringstream body_;
  std::string around_zero_;  // a register; `window_` is to be added to it
  uint64_t window_ = 0;
  std::string guard_, sum_ = "%sum";
  uint64_t rarity_ = 2;
  uint32_t shared_ = 0, local_ = 0, dynamic_ = 0;
  uint32_t doubles_ = 0, words_ = 0, predicates_ = 0, labels_ = 0;
  bool straight_ = false, in_loop_ = false;
};

}  // namespace fuzz
