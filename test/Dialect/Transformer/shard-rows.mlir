// RUN: tc-opt %s --transformer-shard="tp=4 word-embedding-tp=row" | FileCheck %s
// RUN: tc-opt %s --transformer-shard="tp=4 lmhead-tp=1 word-embedding-tp=row" | FileCheck %s --check-prefix=ONE
// RUN: tc-opt %s --transformer-shard="devices=8 tp=4 lmhead-tp=8 word-embedding-tp=row" | FileCheck %s --check-prefix=OTHER

// Words that the embedding has are those that a tied head of the group needs.
// CHECK-LABEL: func @tied_head_of_rows
// CHECK:         %[[TABLE:.*]] = transformer.weight "embed.weight" : tensor<63x32xf16>
// CHECK:         %[[PART:.*]] = transformer.embedding %{{.*}}, %[[TABLE]] first_row(0)
// CHECK:         %[[X:.*]] = transformer.all_reduce %[[PART]] over <4>
// CHECK-NEXT:    %[[LOGITS:.*]] = transformer.linear %[[X]], %[[TABLE]] : tensor<7x32xf16>, tensor<63x32xf16> -> tensor<7x63xf16>
// CHECK-NEXT:    transformer.all_gather %[[LOGITS]] over <4> dim(1) : tensor<7x63xf16> to tensor<7x250xf16>
// ONE-LABEL: func @tied_head_of_rows
// ONE:         %[[TABLE:.*]] = transformer.weight "embed.weight" : tensor<250x32xf16>
// ONE:         %[[OWN:.*]] = transformer.weight "embed.weight" : tensor<63x32xf16>
// ONE:         transformer.embedding %{{.*}}, %[[OWN]] first_row(0)
// ONE:         transformer.linear %{{.*}}, %[[TABLE]] {{.*}} -> tensor<7x250xf16>
// OTHER-LABEL: func @tied_head_of_rows
// OTHER:         %[[OWN:.*]] = transformer.weight "embed.weight" : tensor<63x32xf16>
// OTHER:         transformer.embedding %{{.*}}, %[[OWN]] first_row(0)
// OTHER:         transformer.weight "lm_head.weight" sharding <column, head> : tensor<32x32xf16>
func.func @tied_head_of_rows(%ids: tensor<7xi64>) -> tensor<7x250xf16> {
  %table = transformer.weight "embed.weight" : tensor<250x32xf16>
  %x = transformer.embedding %ids, %table : tensor<7xi64>, tensor<250x32xf16> -> tensor<7x32xf16>
  %0 = transformer.linear %x, %table : tensor<7x32xf16>, tensor<250x32xf16> -> tensor<7x250xf16>
  return %0 : tensor<7x250xf16>
}
