// RUN: tc-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{expected 'pipeline_parallel' to divide 8 devices, but got 3}}
#uneven = #transformer.plan<devices = 8, data_parallel = 1, pipeline_parallel = 3>

// -----

// expected-error @below {{expected 'pipeline_parallel' to divide 8 devices, but got 0}}
#none = #transformer.plan<devices = 8, data_parallel = 1, pipeline_parallel = 0>

// -----

// Two of eight devices run a stage, and four groups cannot share them.
// expected-error @below {{expected 'data_parallel' to divide 2 devices, but got 4}}
#groups = #transformer.plan<devices = 8, data_parallel = 4, pipeline_parallel = 4>

// -----

func.func @itself(%x: tensor<2x8xf16>) {
  // expected-error @below {{'transformer.send_receive' op expected two devices, but got 3 twice}}
  %0 = transformer.send_receive %x from(3) to(3) : tensor<2x8xf16>
  return
}

// -----

func.func @before_the_first(%x: tensor<2x8xf16>) {
  // expected-error @below {{'transformer.send_receive' op attribute 'from' failed to satisfy constraint: 64-bit signless integer attribute whose value is non-negative}}
  %0 = transformer.send_receive %x from(-1) to(3) : tensor<2x8xf16>
  return
}

// -----

func.func @far_away(%x: tensor<2x8xf16>) {
  // expected-error @below {{'transformer.send_receive' op expected a device up to 2147483648, but got 9223372036854775807}}
  %0 = transformer.send_receive %x from(0) to(9223372036854775807) : tensor<2x8xf16>
  return
}

// -----

func.func @nobody(%x: tensor<2x8xf16>) {
  // expected-error @below {{'transformer.stage' op expected a function, but found none called 'stage_0'}}
  %0 = transformer.stage @stage_0(%x) : (tensor<2x8xf16>) -> tensor<2x8xf16>
  return
}

// -----

func.func @stage_0(%x: tensor<2x8xf16>) -> tensor<2x8xf16> {
  // expected-error @below {{'transformer.stage' op expected another function, but got the one that this call is in}}
  %0 = transformer.stage @stage_0(%x) : (tensor<2x8xf16>) -> tensor<2x8xf16>
  return %0 : tensor<2x8xf16>
}

// -----

// expected-note @below {{the stage's function is here}}
func.func private @stage_0(tensor<2x8xf16>) -> tensor<2x8xf16>
func.func @one_more(%x: tensor<2x8xf16>) {
  // expected-error @below {{'transformer.stage' op expected 1 operands, but got 2}}
  %0 = transformer.stage @stage_0(%x, %x) : (tensor<2x8xf16>, tensor<2x8xf16>) -> tensor<2x8xf16>
  return
}

// -----

// expected-note @below {{the stage's function is here}}
func.func private @stage_0(tensor<2x8xf16>) -> tensor<2x8xf16>
func.func @wide(%x: tensor<2x8xf16>) {
  // expected-error @below {{'transformer.stage' op expected result 0 of type 'tensor<2x8xf16>', but got 'tensor<2x8xf32>'}}
  %0 = transformer.stage @stage_0(%x) : (tensor<2x8xf16>) -> tensor<2x8xf32>
  return
}
