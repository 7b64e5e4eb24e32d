// RUN: tc-opt %s --split-input-file --transformer-shard="tp=4 vision-tp=2" | FileCheck %s
// RUN: tc-opt %s --split-input-file --transformer-shard="tp=4" | FileCheck %s --check-prefix=WHOLE

#patches = #transformer.dims<4 * images * image_rows * image_columns>
#wide = #transformer.sharding<column, vision, unit = 8>

// Each of the three parts of one layer is split by heads; the sum over the two
// devices comes before the bias.
// CHECK: transformer.plan = #transformer.plan<devices = 4, data_parallel = 1, vision = 2>
// CHECK-LABEL: func private @block
// CHECK:         %[[Q:.*]] = transformer.weight "q.weight" sharding <column, vision, unit = 8> : tensor<16x32xf16>
// CHECK:         %[[W:.*]] = transformer.concat_weights
// CHECK:         %[[QKV:.*]] = transformer.linear %{{.*}}, %[[W]] {{.*}} -> tensor<?x48xf16, #{{.*}}>
// CHECK:         transformer.slice %[[QKV]] offset(0) size(16)
// CHECK:         transformer.slice %[[QKV]] offset(16) size(16)
// CHECK:         transformer.slice %[[QKV]] offset(32) size(16)
// CHECK:         transformer.image_attention {{.*}} : tensor<?x2x8xf16
// CHECK:         %[[PART:.*]] = transformer.linear %{{.*}}, %{{.*}} : tensor<?x16xf16, #{{.*}}>, tensor<32x16xf16>
// CHECK:         %[[SUM:.*]] = transformer.all_reduce %[[PART]] {{.*}}<2>
// CHECK:         transformer.add %[[SUM]], %{{.*}} : tensor<?x32xf16, #{{.*}}>, tensor<32xf16>

// Without a group of its own, every device looks at all of it.
// WHOLE-LABEL: func private @block
// WHOLE:         transformer.weight "q.weight" sharding <column, vision, unit = 8> : tensor<32x32xf16>
// WHOLE-NOT:     transformer.all_reduce
func.func private @block(%x: tensor<?x32xf16, #patches>, %batch: !transformer.batch)
    -> tensor<?x32xf16, #patches> attributes {transformer.tower} {
  %q = transformer.weight "q.weight" sharding<column, vision, unit = 8> : tensor<32x32xf16>
  %k = transformer.weight "k.weight" sharding<column, vision, unit = 8> : tensor<32x32xf16>
  %v = transformer.weight "v.weight" sharding<column, vision, unit = 8> : tensor<32x32xf16>
  %w = transformer.concat_weights %q, %k, %v : tensor<32x32xf16>, tensor<32x32xf16>, tensor<32x32xf16>
  %all = transformer.linear %x, %w : tensor<?x32xf16, #patches>, tensor<96x32xf16> -> tensor<?x96xf16, #patches>
  %0 = transformer.slice %all offset(0) size(32) : tensor<?x96xf16, #patches>
  %1 = transformer.slice %all offset(32) size(32) : tensor<?x96xf16, #patches>
  %2 = transformer.slice %all offset(64) size(32) : tensor<?x96xf16, #patches>
  %qh = transformer.reshape %0 : tensor<?x32xf16, #patches> to tensor<?x4x8xf16, #patches>
  %kh = transformer.reshape %1 : tensor<?x32xf16, #patches> to tensor<?x4x8xf16, #patches>
  %vh = transformer.reshape %2 : tensor<?x32xf16, #patches> to tensor<?x4x8xf16, #patches>
  %a = transformer.image_attention %qh, %kh, %vh of %batch scale(0.5) merge(2)
      : tensor<?x4x8xf16, #patches>, !transformer.batch
  %flat = transformer.reshape %a : tensor<?x4x8xf16, #patches> to tensor<?x32xf16, #patches>
  %o = transformer.weight "o.weight" sharding<row, vision> : tensor<32x32xf16>
  %b = transformer.weight "o.bias" : tensor<32xf16>
  %y = transformer.linear %flat, %o bias(%b : tensor<32xf16>)
      : tensor<?x32xf16, #patches>, tensor<32x32xf16> -> tensor<?x32xf16, #patches>
  return %y : tensor<?x32xf16, #patches>
}
