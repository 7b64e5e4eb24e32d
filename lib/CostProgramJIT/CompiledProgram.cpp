//===- CompiledProgram.cpp - Cost programs as machine code ----------------===//

#include "tensorcast/CostProgram/CompiledProgram.h"

#include "tensorcast/CostProgram/CostProgram.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"

#include <cmath>

using namespace mlir;
using namespace mlir::tensorcast;

CompiledProgram::CompiledProgram(std::unique_ptr<llvm::orc::LLJIT> jit)
    : jit(std::move(jit)) {}
CompiledProgram::CompiledProgram(CompiledProgram &&) = default;
CompiledProgram &CompiledProgram::operator=(CompiledProgram &&) = default;
CompiledProgram::~CompiledProgram() = default;

/// A JIT for the processor that this runs on.
static llvm::Expected<std::unique_ptr<llvm::orc::LLJIT>> makeJIT() {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  auto machine = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!machine)
    return machine.takeError();
  machine->setCodeGenOptLevel(llvm::CodeGenOptLevel::Default);
  return llvm::orc::LLJITBuilder()
      .setJITTargetMachineBuilder(std::move(*machine))
      .create();
}

/// What code calls that is in no instruction.
static llvm::Error addLibrary(llvm::orc::LLJIT &jit) {
  llvm::orc::MangleAndInterner mangle(jit.getExecutionSession(),
                                      jit.getDataLayout());
  llvm::orc::SymbolMap symbols;
  auto add = [&](StringRef name, double (*function)(double)) {
    symbols[mangle(name)] = {llvm::orc::ExecutorAddr::fromPtr(function),
                             llvm::JITSymbolFlags::Exported};
  };
  add("log2", std::log2);
  add("ceil", std::ceil);
  add("floor", std::floor);
  return jit.getMainJITDylib().define(
      llvm::orc::absoluteSymbols(std::move(symbols)));
}

FailureOr<CompiledProgram> CompiledProgram::compile(StringRef text,
                                                    std::string &mistake) {
  auto fail = [&](llvm::Error error) -> LogicalResult {
    mistake = "expected code for this machine, but the compiler says: " +
              llvm::toString(std::move(error));
    return failure();
  };
  auto context = std::make_unique<llvm::LLVMContext>();
  llvm::SMDiagnostic diagnostic;
  std::unique_ptr<llvm::Module> module = llvm::parseAssembly(
      llvm::MemoryBufferRef(text, "cost program"), diagnostic, *context);
  if (!module) {
    llvm::raw_string_ostream os(mistake);
    os << "expected LLVM IR of a cost program, but line "
       << diagnostic.getLineNo() << " says: " << diagnostic.getMessage();
    return failure();
  }
  llvm::Function *function = module->getFunction(CostProgram::kLLVMFunction);
  llvm::Type *pointer = llvm::PointerType::get(*context, 0);
  auto *type = llvm::FunctionType::get(
      llvm::Type::getVoidTy(*context),
      {pointer, llvm::Type::getInt64Ty(*context), pointer},
      /*isVarArg=*/false);
  if (!function || function->isDeclaration() ||
      function->getFunctionType() != type) {
    mistake = ("expected LLVM IR with a function @" +
               CostProgram::kLLVMFunction + "(ptr, i64, ptr)")
                  .str();
    return failure();
  }
  auto jit = makeJIT();
  if (!jit)
    return fail(jit.takeError());
  module->setDataLayout((*jit)->getDataLayout());
  if (llvm::Error error = addLibrary(**jit))
    return fail(std::move(error));
  if (llvm::Error error = (*jit)->addIRModule(
          llvm::orc::ThreadSafeModule(std::move(module), std::move(context))))
    return fail(std::move(error));
  auto address = (*jit)->lookup(CostProgram::kLLVMFunction);
  if (!address)
    return fail(address.takeError());
  CompiledProgram program(std::move(*jit));
  program.function = address->toPtr<Function>();
  return program;
}
