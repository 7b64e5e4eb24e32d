//===- MyOps.td - Includes what TensorCast installs --------*- tablegen -*-===//

#ifndef MYCAST_OPS
#define MYCAST_OPS

include "Transformer/TransformerOps.td"

#endif // MYCAST_OPS
