"""Emit statements as CUDA C++."""

from __future__ import annotations

from ..typed import (
    Assign,
    Break,
    Constant,
    Continue,
    Convert,
    Do,
    Expression,
    For,
    If,
    Return,
    Special,
    Store,
    While,
)
from .cuda_text import identifier
from .writer import Writer, implicit, statement_rule


@statement_rule(Return)
def _return(writer: Writer, statement: Return, indent: str) -> None:
    value = "" if statement.value is None else f" {writer.text(statement.value)}"
    writer.page.put(statement.line, f"{indent}return{value};")


@statement_rule(Assign)
def _assign(writer: Writer, statement: Assign, indent: str) -> None:
    target = statement.target
    first = id(statement) in writer.page.declared.first
    kind = f"{writer.type_text(target.type)} " if first else ""
    text = _assigned(writer, statement.value)
    text = f"{indent}{kind}{identifier(target.name)} = {text};"
    writer.page.put(statement.line, text)


@statement_rule(Store)
def _store(writer: Writer, statement: Store, indent: str) -> None:
    item = writer.text(statement.item)
    text = _assigned(writer, statement.value)
    writer.page.put(statement.line, f"{indent}{item} = {text};")


@statement_rule(Do)
def _do(writer: Writer, statement: Do, indent: str) -> None:
    writer.page.put(statement.line, f"{indent}{writer.text(statement.value)};")


@statement_rule(If)
def _if(writer: Writer, statement: If, indent: str) -> None:
    page = writer.page
    page.put(statement.line, f"{indent}if ({writer.text(statement.test)}) {{")
    writer.block(statement.then, indent + "  ")
    if statement.otherwise:
        page.put(page.next, f"{indent}}} else {{")
        writer.block(statement.otherwise, indent + "  ")
    page.put(page.next, f"{indent}}}")


@statement_rule(While)
def _while(writer: Writer, loop: While, indent: str) -> None:
    page, inner = writer.page, indent + "  "
    test = "true" if loop.prelude else writer.text(loop.test)
    page.put(loop.line, f"{indent}while ({test}) {{")
    if loop.prelude:  # what the test needs before it, in every turn
        writer.block(loop.prelude, inner)
        page.put(loop.line, f"{inner}if (!({writer.text(loop.test)})) break;")
    writer.block(loop.body, inner)
    page.put(page.next, f"{indent}}}")


@statement_rule(For)
def _for(writer: Writer, loop: For, indent: str) -> None:
    page = writer.page
    page.put(loop.line, f"{indent}for ({_counted(writer, loop)}) {{")
    writer.block(loop.body, indent + "  ")
    page.put(page.next, f"{indent}}}")


@statement_rule(Break)
def _break(writer: Writer, statement: Break, indent: str) -> None:
    writer.page.put(statement.line, f"{indent}break;")


@statement_rule(Continue)
def _continue(writer: Writer, statement: Continue, indent: str) -> None:
    writer.page.put(statement.line, f"{indent}continue;")


def _assigned(writer: Writer, value: Expression) -> str:
    """Write a value for an assignment; C++ converts it to the variable's type."""
    inner = value.value if isinstance(value, Convert) else value
    if isinstance(inner, Special):
        return inner.text
    bare = implicit(value)
    return writer.plain(value) if bare is None else writer.text(bare)


def _counted(writer: Writer, loop: For) -> str:
    name, type_ = identifier(loop.counter.name), loop.counter.type.cuda
    start, stop, step = map(writer.plain, (loop.start, loop.stop, loop.step))
    begin = f"{type_} {name} = {start}"
    if not isinstance(loop.step, Constant):
        writer.headers.add("array.cuh")
        stop = f"{type_}({stop})" if " " not in type_ else f"({type_})({stop})"
        return f"{begin}; in_range<{type_}>({name}, {stop}, {step}); {name} += {step}"
    by = int(loop.step.value)
    sign = "<" if by > 0 else ">"
    mark = "+" if by > 0 else "-"
    move = f"{mark}{mark}{name}" if abs(by) == 1 else f"{name} {mark}= {abs(by)}"
    return f"{begin}; {name} {sign} {stop}; {move}"
