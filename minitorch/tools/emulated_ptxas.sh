#!/bin/sh
# What `minitorch emulate` puts in the place of ptxas, the assembler that programs such
# as Triton call before they load a kernel: it hands the PTX on instead of machine code,
# and the emulator, which is the driver there, runs that.
# Usage, as ptxas: [options] INPUT.ptx -o OUTPUT. Options for machine code change nothing.

fail() {
  echo "[emulate] ptxas: $*" >&2
  exit 1
}

input='' output=''
while [ $# -gt 0 ]; do
  case $1 in
    # Programs choose the PTX version by the release; all who call ptxas know this one.
    # Caches that go by this text keep the PTX apart from machine code.
    --version | -V)
      echo 'ptxas: the pass-through of minitorch emulate, which hands on PTX'
      echo 'Cuda compilation tools, release 12.9, V12.9.0'
      exit 0
      ;;
    -o | --output-file)
      [ $# -gt 1 ] || fail "got $1 at the end; need a file behind it."
      output=$2
      shift
      ;;
    --output-file=*) output=${1#*=} ;;
    -*) ;;
    *.ptx)
      [ -z "$input" ] || fail "got two inputs, $input and $1; need one."
      input=$1
      ;;
  esac
  shift
done
[ -n "$input" ] || fail 'got no input; need a file whose name ends in .ptx.'
[ -r "$input" ] || fail "got the input $input, which cannot be read; need a file of PTX."
grep -q '^[[:space:]]*\.version' "$input" ||
  fail "got the input $input, which has no .version line; need PTX."
cat "$input" >"${output:-elf.o}" || fail "could not write the output ${output:-elf.o}."
