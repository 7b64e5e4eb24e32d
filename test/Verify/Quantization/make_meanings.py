"""Writes quantized ops on random data, and what they mean worked out here.

Arguments: the file of ops, the file of their meanings. Values are quantized and
decoded in exact arithmetic, independently of the program: a quantized linear
layer must be the float product of what its operands stand for.
"""

import random
import struct
import sys
from fractions import Fraction

# Bits of the exponent and mantissa, bias, and the largest number.
FLOATS = {"f8E4M3FN": (4, 3, 7, 448), "f8E5M2": (5, 2, 15, 57344),
          "f4E2M1FN": (2, 1, 1, 6)}
INTEGERS = {"i8": 127, "i4": 7}


def to_f32(value):
    return struct.unpack("f", struct.pack("f", float(value)))[0]


def largest(kind):
    return INTEGERS.get(kind) or FLOATS[kind][3]


def numbers(kind):
    """The numbers of a type that are not below 0, in order."""
    _, mantissa, bias, most = FLOATS[kind]
    values, code = [], 0
    while not values or values[-1] < most:
        exponent, fraction = code >> mantissa, code % (1 << mantissa)
        if exponent:
            fraction += 1 << mantissa
        scale = Fraction(2) ** (max(exponent, 1) - bias - mantissa)
        values.append(fraction * scale)
        code += 1
    return values


TABLES = {kind: numbers(kind) for kind in FLOATS}


def quantize(value, kind):
    """The nearest number of a type, ties to the even code."""
    value = Fraction(value)
    if kind in INTEGERS:
        return max(-INTEGERS[kind] - 1, min(INTEGERS[kind], round(value)))
    table = TABLES[kind]
    code = min(range(len(table)),
               key=lambda i: (abs(table[i] - abs(value)), i % 2))
    return table[code] if value >= 0 else -table[code]


def dense(rows, number=lambda value: repr(float(value))):
    if isinstance(rows, list):
        return "[" + ", ".join(dense(row, number) for row in rows) + "]"
    return number(rows)


def shape(rows):
    return f"{len(rows)}x{len(rows[0])}x" if rows and isinstance(
        rows[0], list) else f"{len(rows)}x"


class Module:
    def __init__(self):
        self.text = ""

    def add(self, name, lines, result, result_type):
        body = "\n".join("  " + line for line in lines)
        self.text += (f"func.func @{name}() -> {result_type} {{\n{body}\n"
                      f"  return {result} : {result_type}\n}}\n")


def constant(name, rows, kind="f32"):
    number = str if kind in INTEGERS else (lambda value: repr(float(value)))
    extent = shape(rows) if isinstance(rows, list) else ""
    return (f"%{name} = arith.constant dense<{dense(rows, number)}> : "
            f"tensor<{extent}{kind}>")


def narrow(name, rows, kind):
    """A constant of a quantized type; its values are numbers of the type."""
    if kind in INTEGERS:
        return [constant(name, [[int(v) for v in row] for row in rows], kind)]
    size = shape(rows)
    return [constant(name + "_wide", rows),
            f"%{name} = transformer.quantize %{name}_wide, %one : "
            f"tensor<{size}f32> to tensor<{size}{kind}>"]


ONE = "%one = arith.constant dense<1.0> : tensor<f32>"


def add_rounding(ops, meanings, rng, kind):
    """Rounding, seen through a product with the unit matrix."""
    size = 8
    most = float(largest(kind))
    values = [rng.uniform(-1.2, 1.2) * most * 2.0 ** -rng.randrange(12)
              for _ in range(size * 24)]
    if kind in FLOATS:
        table = [float(v) for v in TABLES[kind]]
        # Numbers, the middle between two of them, and what is around it.
        for low, high in zip(table, table[1:]):
            middle = (low + high) / 2
            values += [high, -middle, middle * (1 + 2 ** -20),
                       middle * (1 - 2 ** -20)]
    values += [0.0] * (-len(values) % size)
    rows = [[to_f32(v) for v in values[i:i + size]]
            for i in range(0, len(values), size)]
    unit = [[int(i == j) for j in range(size)] for i in range(size)]
    extent = f"{len(rows)}x{size}x"
    ops.add(f"round_{kind}", [
        ONE, constant("x", rows), *narrow("unit", unit, "i8"),
        f"%q = transformer.quantize %x, %one : tensor<{extent}f32> to "
        f"tensor<{extent}{kind}>",
        "%r = transformer.quantized_linear %q, %unit "
        "weight_scale(%one : tensor<f32>) input_scale(%one : tensor<f32>) : "
        f"tensor<{extent}{kind}>, tensor<{size}x{size}xi8> -> "
        f"tensor<{extent}f32>"], "%r", f"tensor<{extent}f32>")
    expected = [[quantize(v, kind) for v in row] for row in rows]
    meanings.add(f"round_{kind}", [constant("r", expected)], "%r",
                 f"tensor<{extent}f32>")


def random_rows(rng, rows, columns):
    return [[to_f32(rng.gauss(0, 1)) for _ in range(columns)]
            for _ in range(rows)]


def power_of_two(value):
    exponent = 0
    while Fraction(2) ** exponent > value:
        exponent -= 1
    while Fraction(2) ** (exponent + 1) <= value:
        exponent += 1
    return Fraction(2) ** exponent


def group_scales(rows, kind, size, shared):
    """Scales of groups by OCP Microscaling Formats 1.0, per row or for all."""
    groups = range(0, len(rows[0]), size)
    unit = power_of_two(largest(kind))
    peaks = [[max(abs(Fraction(v)) for v in row[g:g + size]) for g in groups]
             for row in rows]
    if shared:
        peaks = [[max(column) for column in zip(*peaks)]] * len(rows)
    return [[power_of_two(peak) / unit for peak in row] for row in peaks]


def scale_rows(rows, scales, size, factor):
    return [[factor(Fraction(v), scales[t][k // size])
             for k, v in enumerate(row)] for t, row in enumerate(rows)]


def add_linear(ops, meanings, rng, name, x_kind, w_kind, dynamic, bias):
    """One scale per tensor; the input is a float if `x_kind` is `f32`."""
    tokens, features, outputs = 5, 12, 7
    x, w = random_rows(rng, tokens, features), random_rows(rng, outputs,
                                                           features)
    peak = max(abs(v) for row in w for v in row)
    w_scale = to_f32(peak / largest(w_kind))
    w_narrow = [[quantize(Fraction(v) / Fraction(w_scale), w_kind) for v in row]
                for row in w]
    lines = [ONE, constant("x", x), *narrow("w", w_narrow, w_kind),
             constant("ws", w_scale)]
    meaning_x = x
    operand, scales = "%x", "weight_scale(%ws : tensor<f32>)"
    extent = f"{tokens}x{features}x"
    if x_kind != "f32":
        peak = max(abs(v) for row in x for v in row)
        x_scale = to_f32(peak / largest(x_kind)) if dynamic else 0.031
        x_scale = to_f32(x_scale)
        if dynamic:
            lines.append(f"%q, %xs = transformer.dynamic_quantize %x : "
                         f"tensor<{extent}f32> to tensor<{extent}{x_kind}>, "
                         "tensor<f32>")
        else:
            lines += [constant("xs", x_scale),
                      f"%q = transformer.quantize %x, %xs : "
                      f"tensor<{extent}f32> to tensor<{extent}{x_kind}>"]
        # The quotient is a float as well, before it is rounded again.
        meaning_x = [[quantize(to_f32(v / x_scale), x_kind) * Fraction(x_scale)
                      for v in row] for row in x]
        operand, scales = "%q", scales + " input_scale(%xs : tensor<f32>)"
    meaning_w = [[v * Fraction(w_scale) for v in row] for row in w_narrow]
    finish(ops, meanings, rng, name, lines, operand, scales, x_kind, w_kind,
           meaning_x, meaning_w, bias, "")


def add_grouped(ops, meanings, rng, name, kind, size, shared):
    tokens, features, outputs = 5, 20, 7
    x, w = random_rows(rng, tokens, features), random_rows(rng, outputs,
                                                           features)
    groups = -(-features // size)
    divide, multiply = (lambda v, s: v / s), (lambda v, s: v * s)
    lines, meanings_of = [ONE], []
    for operand, rows in (("x", x), ("w", w)):
        scales = group_scales(rows, kind, size, shared)
        quantized = scale_rows(rows, scales, size, divide)
        quantized = [[quantize(v, kind) for v in row] for row in quantized]
        meanings_of.append(scale_rows(quantized, scales, size, multiply))
        extent = f"{len(rows)}x{features}x"
        scale = f"{groups}x" if shared else f"{len(rows)}x{groups}x"
        lines += [constant(operand, rows),
                  f"%{operand}q, %{operand}s = transformer.dynamic_quantize "
                  f"%{operand} group_size({size}) : tensor<{extent}f32> to "
                  f"tensor<{extent}{kind}>, tensor<{scale}f8E8M0FNU>"]
    scale = lambda rows: f"{groups}x" if shared else f"{rows}x{groups}x"
    scales = (f"weight_scale(%ws : tensor<{scale(outputs)}f8E8M0FNU>) "
              f"input_scale(%xs : tensor<{scale(tokens)}f8E8M0FNU>)")
    finish(ops, meanings, rng, name, lines, "%xq", scales, kind, kind,
           *meanings_of, True, f" group_size({size})", weight="%wq")


def finish(ops, meanings, rng, name, lines, operand, scales, x_kind, w_kind, x,
           w, bias, group, weight="%w"):
    tokens, outputs, features = len(x), len(w), len(w[0])
    given = constant("b", [to_f32(rng.gauss(0, 1)) for _ in range(outputs)])
    text = f" bias(%b : tensor<{outputs}xf32>)" if bias else ""
    result = f"tensor<{tokens}x{outputs}xf32>"
    ops.add(name, lines + [given] * bias + [
        f"%r = transformer.quantized_linear {operand}, {weight} {scales}{text}"
        f"{group} : tensor<{tokens}x{features}x{x_kind}>, "
        f"tensor<{outputs}x{features}x{w_kind}> -> {result}"], "%r", result)
    meanings.add(name, [constant("x", x), constant("w", w)] + [given] * bias + [
        f"%r = transformer.linear %x, %w{text} : "
        f"tensor<{tokens}x{features}xf32>, tensor<{outputs}x{features}xf32> -> "
        f"{result}"], "%r", result)


def main():
    rng = random.Random(7)
    ops, meanings = Module(), Module()
    for kind in [*INTEGERS, *FLOATS]:
        add_rounding(ops, meanings, rng, kind)
    for name, x_kind, w_kind, dynamic in [
            ("w8a16", "f32", "i8", False), ("w8a8_static", "i8", "i8", False),
            ("w8a8_dynamic", "i8", "i8", True),
            ("w4a8_static", "i8", "i4", False),
            ("w4a8_dynamic", "i8", "i4", True),
            ("fp8", "f8E4M3FN", "f8E5M2", True)]:
        for bias in (False, True):
            add_linear(ops, meanings, rng, name + "_bias" * bias, x_kind,
                       w_kind, dynamic, bias)
    # Of 20 columns the last group of 8 has 4.
    for kind in ["f4E2M1FN", "f8E4M3FN", "i8"]:
        for shared in (False, True):
            add_grouped(ops, meanings, rng, f"groups_{kind}" + "_shared" *
                        shared, kind, 8, shared)
    for path, module in zip(sys.argv[1:], (ops, meanings)):
        with open(path, "w") as file:
            file.write(module.text)


main()
