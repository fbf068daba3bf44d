// The making of random legal PTX programs: lane instructions of data/legal_forms.txt
// with branches, loops, shared memory, shuffles and votes around them.
#pragma once

#include <iterator>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "ptx/decode.h"
#include "ptx/opcode_table.h"
#include "table.h"

namespace conformance {

namespace ptx = minitorch::ptx;

/// Exact forms, whose results both engines must agree on bit for bit.
inline std::vector<ptx::Opcode> exact_forms() {
  std::vector<ptx::Opcode> forms;
  for (const std::string& text : legal_forms()) {
    const ptx::Opcode opcode = ptx::parse_opcode(text, {1, 1});
    const bool approximate = opcode.approx || opcode.full || opcode.op == ptx::Op::Tanh;
    if (!approximate) forms.push_back(opcode);
  }
  return forms;
}

class RandomProgram {
 public:
  static constexpr int kEach = 6;  // registers of each class

  RandomProgram(const std::vector<ptx::Opcode>& forms, uint32_t seed)
      : forms_(forms), random_(seed) {}

  /// A kernel `row(in, out)`: thread i reads 8 words of 8 bytes and writes 32.
  std::string text() {
    for (const char* start :
         {"add.cc.u32 %r0, %r1, %r2", "setp.lt.s32 %p0, %r0, %r3"}) {
      line(start);
    }
    for (int i = 1; i < kEach; ++i) {
      line("setp.gt.u32 %p" + std::to_string(i) + ", %r" + std::to_string(i) + ", " +
           std::to_string(random_()));
    }
    for (int part = 0; part < 6; ++part) block(2);
    return head() + body_.str() + tail();
  }

 private:
  uint32_t below(uint32_t limit) { return static_cast<uint32_t>(random_() % limit); }
  void line(const std::string& text) { body_ << "  " << text << ";\n"; }
  std::string pick(char letter) {
    return std::string("%") + letter + std::to_string(below(kEach));
  }

  static char class_of(ptx::Type type) {
    switch (ptx::size_of(type)) {
      case 0:
        return 'p';
      case 2:
        return 'h';
      case 8:
        return 'd';
      default:
        return 'r';  // 8-bit types live in wider registers
    }
  }

  // Optional operands are there where the form asks for them.
  bool takes_optional(char letter, bool destination, const ptx::Opcode& opcode) const {
    if (opcode.op == ptx::Op::Cvt) {
      return opcode.type == ptx::Type::F16x2 || opcode.type == ptx::Type::BF16x2;
    }
    if (destination) return opcode.op == ptx::Op::Lop3 && combines(opcode);
    return letter == 'p' && combines(opcode);
  }
  static bool combines(const ptx::Opcode& opcode) {
    return opcode.combine != ptx::Combine::None;
  }

  std::string operands(std::string_view side, bool destination,
                       const ptx::Opcode& opcode) {
    std::string text;
    int number = 0;
    for (size_t i = 0; i < side.size(); ++i) {
      const bool optional = side[i] == '?';
      if (optional) ++i;
      if (optional && !takes_optional(side[i], destination, opcode)) continue;
      ++number;
      const bool table = opcode.op == ptx::Op::Lop3 && !destination && number == 4;
      const std::string value = table ? std::to_string(below(256))
                                      : pick(class_of(ptx::slot_type(side[i], opcode)));
      text += text.empty() ? value : (destination ? "|" : ", ") + value;
    }
    return text;
  }

  void instruction() {
    const ptx::Opcode& opcode = forms_[below(static_cast<uint32_t>(forms_.size()))];
    const std::string_view signature = ptx::row_of(opcode.op).signature;
    const size_t equals = signature.find('=');
    const std::string guard = below(8) == 0 ? "@" + pick('p') + " " : "";
    line(guard + opcode.text + " " +
         operands(signature.substr(0, equals), true, opcode) + ", " +
         operands(signature.substr(equals + 1), false, opcode));
  }

  // What all lanes execute together, and memory of the thread's own.
  void together() {
    const std::string r = pick('r'), p = pick('p');
    switch (below(5)) {
      case 0:
        return line("shfl.sync.bfly.b32 " + r + "|" + p + ", " + pick('r') + ", " +
                    std::to_string(below(32)) + ", 31, -1");
      case 1:
        return line("vote.sync.ballot.b32 " + r + ", " + p + ", -1");
      case 2:
        line("st.shared.b32 " + far_from("%cell") + ", " + r);
        line("bar.sync 0");
        line("ld.shared.b32 " + pick('r') + ", " + far_from("%other"));
        return line("bar.sync 0");
      case 3:
        line("mov.u32 %box, own");
        line("st.local.b64 " + far_from("%box", 8) + ", " + pick('d'));
        return line("ld.local.v2.b32 {" + pick('r') + ", %t}, " + far_from("%box", 8));
      default:
        return line("match.any.sync.b32 " + r + ", " + pick('r') + ", -1");
    }
  }

  /// `offset` behind a 32-bit address, by a base that is often negative.
  std::string far_from(const std::string& address, int64_t offset = 0) {
    static constexpr int64_t kAway[] = {
        0, 64, 4096, 1 << 30, -(1 << 30), -64, -2147483647 - 1, 0x7ffffff0};
    const int64_t away = kAway[below(std::size(kAway))];
    line("sub.u32 %t, " + address + ", " + std::to_string(away - offset));
    return "[%t+" + std::to_string(away) + "]";
  }

  void block(int depth) {
    for (int i = 0; i < 4; ++i) instruction();
    const std::string label = "$L" + std::to_string(labels_++);
    if (depth == 2) together();
    if (depth == 0) return;
    if (below(2) == 0) {
      line("@" + std::string(below(2) ? "!" : "") + pick('p') + " bra " + label);
      block(depth - 1);
      body_ << label << ":\n";
      return;
    }
    // Each lane goes round as often as its own bits say, once to four times.
    const std::string counter = "%n" + std::to_string(depth);
    line("and.b32 " + counter + ", " + pick('r') + ", 3");
    body_ << label << ":\n";
    block(depth - 1);
    line("setp.ne.u32 %again, " + counter + ", 0");
    line("sub.u32 " + counter + ", " + counter + ", 1");
    line("@%again bra " + label);
  }

  static std::string head() {
    std::string text =
        ".version 8.3\n.target sm_90\n.address_size 64\n"
        ".visible .entry row(.param .u64 in, .param .u64 out)\n{\n"
        "  .reg .pred %p<6>, %again;\n  .reg .b16 %h<6>;\n"
        "  .reg .b32 %r<6>, %n<3>, %t, %cell, %other, %box;\n"
        "  .reg .b64 %d<6>, %in, %out;\n"
        "  .shared .align 4 .b8 tile[256];\n  .local .align 8 .b8 own[32];\n"
        "  ld.param.u64 %in, [in];\n  ld.param.u64 %out, [out];\n"
        "  mov.u32 %t, %tid.x;\n  mad.wide.u32 %in, %t, 64, %in;\n"
        "  mad.wide.u32 %out, %t, 256, %out;\n  mov.u32 %cell, tile;\n"
        "  xor.b32 %other, %t, 33;\n  mad.lo.u32 %other, %other, 4, %cell;\n"
        "  mad.lo.u32 %cell, %t, 4, %cell;\n";
    for (int i = 0; i < kEach; ++i) {
      const std::string n = std::to_string(i), at = std::to_string(8 * i);
      text += "  ld.global.b64 %d" + n + ", [%in+" + at + "];\n";
      text += "  ld.global.b32 %r" + n + ", [%in+" + at + "];\n";
      text += "  ld.global.b16 %h" + n + ", [%in+" + at + "];\n";
    }
    return text;
  }

  static std::string tail() {
    std::string text;
    for (int i = 0; i < kEach; ++i) {
      const std::string n = std::to_string(i);
      const auto at = [&](int first) { return std::to_string(8 * (first + i)); };
      text += "  st.global.b64 [%out+" + at(0) + "], %d" + n + ";\n";
      text += "  st.global.b32 [%out+" + at(6) + "], %r" + n + ";\n";
      text += "  st.global.b16 [%out+" + at(12) + "], %h" + n + ";\n";
      text += "  selp.u32 %t, 1, 0, %p" + n + ";\n";
      text += "  st.global.b32 [%out+" + at(18) + "], %t;\n";
    }
    return text + "  ret;\n}\n";
  }

  const std::vector<ptx::Opcode>& forms_;
  std::mt19937 random_;
  std::ostringstream body_;
  int labels_ = 0;
};

}  // namespace conformance
