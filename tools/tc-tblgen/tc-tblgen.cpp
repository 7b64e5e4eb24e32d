//===- tc-tblgen.cpp - Tables of ops from their descriptions --------------===//
//
// `tc-tblgen --gen-op-operands FILE.td` lists the operands of ops for programs
// that write patterns: `{"transformer.linear", "input weight bias?"},`. A name
// ends in `?` or `*` where an op may have none or several.
//
//===----------------------------------------------------------------------===//

#include "mlir/TableGen/GenInfo.h"
#include "mlir/TableGen/Operator.h"
#include "mlir/Tools/mlir-tblgen/MlirTblgenMain.h"
#include "llvm/TableGen/Record.h"

using namespace mlir;

static bool printOperands(const llvm::RecordKeeper &records, raw_ostream &os) {
  for (const llvm::Record *record : records.getAllDerivedDefinitions("Op")) {
    tblgen::Operator op(*record);
    os << "{\"" << op.getOperationName() << "\", \"";
    llvm::interleave(
        op.getOperands(), os,
        [&](const tblgen::NamedTypeConstraint &operand) {
          os << operand.name;
          if (operand.isOptional())
            os << '?';
          else if (operand.isVariadic())
            os << '*';
        },
        " ");
    os << "\"},\n";
  }
  return false;
}

static GenRegistration registration("gen-op-operands",
                                    "List the operands of ops", printOperands);

int main(int argc, char **argv) { return MlirTblgenMain(argc, argv); }
