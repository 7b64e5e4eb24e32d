//===- Session.cpp - A context and its output -----------------------------===//

#include "Session.h"

#include "tensorcast/CommandLine/InputModule.h"
#include "tensorcast/CommandLine/OutputFile.h"
#include "tensorcast/Dialect/Ascend/IR/Ascend.h"
#include "tensorcast/Dialect/Transformer/Transforms/Passes.h"
#include "tensorcast/Report/Compare.h"
#include "tensorcast/Support/Wording.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace mlir::tensorcast;

static DialectRegistry getRegistry() {
  DialectRegistry registry;
  registry.insert<ascend::AscendDialect, func::FuncDialect,
                  transformer::TransformerDialect>();
  return registry;
}

Session::Session(CommandLine &line, StringRef tool)
    : line(line),
      // One model is too little work to share between threads.
      context(getRegistry(), MLIRContext::Threading::DISABLED),
      printer(&context, tool, sourceManager, llvm::errs()) {
  context.loadAllAvailableDialects();
  // A line of the user's file says more than an op in its generic form.
  context.printOpOnDiagnostic(false);
}

OwningOpRef<ModuleOp> Session::readModule(StringRef path) {
  return tensorcast::readModule(path, sourceManager, &context);
}

LogicalResult Session::write(function_ref<LogicalResult(raw_ostream &)> print) {
  return write(line.getString(OPT_output, "-"), print);
}

LogicalResult Session::write(StringRef path,
                             function_ref<LogicalResult(raw_ostream &)> print) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (failed(print(os)))
    return failure();
  return writeFile(path, text, &context);
}

LogicalResult Session::writeTrace(ModuleOp module, const Report &report) {
  StringRef path = line.getString(OPT_chrome_trace_file_eq);
  return path.empty() ? success() : write(path, [&](raw_ostream &os) {
    return printChromeTrace(os, module, report);
  });
}

LogicalResult Session::report(ModuleOp module) {
  ReportOptions options;
  options.byShapes = line.hasFlag(OPT_dump_input_shapes);
  options.withParts = line.hasFlag(OPT_expand);
  FailureOr<Report> report = buildReport(module, options);
  if (failed(report))
    return failure();
  std::string shortage = describeShortage(*report);
  if (!shortage.empty())
    emitWarning(UnknownLoc::get(&context)) << shortage;
  if (failed(writeTrace(module, *report)))
    return failure();
  StringRef format = line.getString(OPT_format_eq, "table");
  return write([&](raw_ostream &os) {
    if (format == "chrome-trace")
      return printChromeTrace(os, module, *report);
    if (format == "json")
      printJson(os, *report);
    else if (format == "csv")
      printCsv(os, *report);
    else
      printTable(os, *report);
    return success();
  });
}

LogicalResult Session::compare(ModuleOp before, ModuleOp after,
                               const FusionReport *fusions) {
  FailureOr<Report> first = buildReport(before);
  FailureOr<Report> second = failure();
  if (succeeded(first))
    second = buildReport(after);
  if (failed(second) || failed(writeTrace(after, *second)))
    return failure();
  StringRef format = line.getChoice(OPT_format_eq, {"table", "json"}, "table");
  return write([&](raw_ostream &os) {
    auto print = format == "json" ? printComparisonJson : printComparison;
    print(os, *first, *second, fusions);
    return success();
  });
}

transformer::WorkloadAttr mlir::tensorcast::getWorkload(CommandLine &line,
                                                        MLIRContext *context,
                                                        int64_t dataParallel) {
  llvm::opt::OptSpecifier ids[] = {
      OPT_num_queries_eq,           OPT_query_length_eq,
      OPT_context_length_eq,        OPT_decode,
      OPT_prefix_cache_hit_rate_eq, OPT_image_batch_size_eq,
      OPT_image_height_eq,          OPT_image_width_eq,
      OPT_more_requests_eq};
  if (llvm::none_of(ids, [&](auto id) { return line.getArgs().hasArg(id); }))
    return {};
  for (auto [id, name] : {std::pair(OPT_num_queries_eq, "--num-queries"),
                          std::pair(OPT_query_length_eq, "--query-length")})
    if (!line.getArgs().hasArg(id))
      line.reportError(Twine("expected '") + name + "', but got none");
  Workload workload;
  workload.groups.push_back({line.getInteger(OPT_num_queries_eq, 1),
                             line.getInteger(OPT_query_length_eq, 1),
                             line.getInteger(OPT_context_length_eq, 0),
                             line.hasFlag(OPT_decode),
                             line.getNumber(OPT_prefix_cache_hit_rate_eq, 0)});
  for (const std::string &text :
       line.getArgs().getAllArgValues(OPT_more_requests_eq)) {
    std::string mistake;
    FailureOr<RequestGroup> group = parseRequestGroup(text, mistake);
    if (failed(group))
      line.reportError("'--more-requests': " + mistake);
    else
      workload.groups.push_back(*group);
  }
  if (line.hasError())
    return {};
  auto emit = [&] { return emitError(UnknownLoc::get(context)); };
  return transformer::WorkloadAttr::getChecked(emit, context, workload,
                                               dataParallel);
}

FailureOr<transformer::WorkloadAttr>
mlir::tensorcast::addImages(CommandLine &line, ModuleOp module,
                            transformer::WorkloadAttr workload) {
  FailureOr<transformer::ImagesAttr> images = transformer::cutImages(
      module, line.getInteger(OPT_image_batch_size_eq, 0),
      line.getInteger(OPT_image_height_eq, 0),
      line.getInteger(OPT_image_width_eq, 0));
  if (failed(images))
    return failure();
  auto emit = [&] { return emitError(module.getLoc()); };
  Workload step = workload.getWorkload();
  if (*images)
    step.images = images->getImages();
  auto result = transformer::WorkloadAttr::getChecked(
      emit, module.getContext(), step, workload.getDataParallel());
  if (!result)
    return failure();
  return result;
}

StringRef mlir::tensorcast::getInput(CommandLine &line, StringRef what) {
  std::vector<std::string> inputs = line.getArgs().getAllArgValues(OPT_INPUT);
  if (inputs.size() == 1)
    return line.getArgs().getLastArgValue(OPT_INPUT);
  std::string got = "none";
  if (!inputs.empty()) {
    got = std::to_string(inputs.size()) + " arguments";
    for (auto [index, input] : llvm::enumerate(ArrayRef(inputs).take_front(4)))
      got += (index == 0 ? " (" : ", ") + quoteText(input);
    got += inputs.size() > 4 ? ", ...)" : ")";
  }
  line.reportError("expected " + what + ", but got " + got + "; try --help");
  return "";
}
