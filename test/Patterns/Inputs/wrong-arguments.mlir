// Every native function, called with what it does not take.
pdl.pattern @a : benefit(1) {
  %x = operand
  %t = type
  %root = operation "transformer.last_tokens"(%x, %x : !pdl.value, !pdl.value) -> (%t : !pdl.type)
  %n = attribute = 1
  %f = attribute = f16
  apply_native_constraint "FitsBuffer"(%n : !pdl.attribute)
  apply_native_constraint "HasElementType"(%x : !pdl.value)
  apply_native_constraint "HasElementType"(%x, %n : !pdl.value, !pdl.attribute)
  apply_native_constraint "HasOneUse"(%root : !pdl.operation)
  apply_native_constraint "HasRank"(%x, %f : !pdl.value, !pdl.attribute)
  apply_native_constraint "HasSize"(%x, %n : !pdl.value, !pdl.attribute)
  apply_native_constraint "InSameLayer"(%x : !pdl.value)
  apply_native_constraint "IsDivisible"(%x, %n, %x : !pdl.value, !pdl.attribute, !pdl.value)
  apply_native_constraint "IsWeight"(%n : !pdl.attribute)
  apply_native_constraint "RowFitsBuffer"(%x, %t : !pdl.value, !pdl.type)
  rewrite %root {
    %v = apply_native_rewrite "Fuse"(%n : !pdl.attribute) : !pdl.range<value>
    replace %root with (%v : !pdl.range<value>)
  }
}
