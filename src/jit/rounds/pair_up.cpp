#include "jit/rounds/pair_up.hpp"

#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/BlockFrequencyInfo.h>
#include <llvm/Analysis/BranchProbabilityInfo.h>
#include <llvm/Analysis/DemandedBits.h>
#include <llvm/Analysis/LoopAnalysisManager.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/OptimizationRemarkEmitter.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassInstrumentation.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/Vectorize/SLPVectorizer.h>

namespace vessiot::jit {

// NOTE: the analyses by hand: what registers all of them brings all passes of LLVM into the plug-in.
void pair_up(llvm::Module& module, llvm::TargetMachine& machine) {
    // NOTE: with LLVM's own limit, 12, it takes three times as long and finds nothing more in sums of a dozen terms.
    static const bool is_set = [] {
        constexpr unsigned most_depth = 8;
        auto& all = llvm::cl::getRegisteredOptions();
        if (const auto at = all.find("slp-recursion-max-depth"); at != all.end())
            static_cast<llvm::cl::opt<unsigned>*>(at->second)->setValue(most_depth);
        return true;
    }();
    static_cast<void>(is_set);
    llvm::LoopAnalysisManager loops;
    llvm::FunctionAnalysisManager analyses;
    llvm::ModuleAnalysisManager of_module;
    analyses.registerPass([&] { return llvm::LoopAnalysisManagerFunctionProxy(loops); });
    analyses.registerPass([&] { return llvm::ModuleAnalysisManagerFunctionProxy(of_module); });
    analyses.registerPass([] { return llvm::PassInstrumentationAnalysis(); });
    analyses.registerPass([&] { return machine.getTargetIRAnalysis(); });
    analyses.registerPass([] { return llvm::TargetLibraryAnalysis(); });
    analyses.registerPass([] { return llvm::AAManager(); });
    analyses.registerPass([] { return llvm::AssumptionAnalysis(); });
    analyses.registerPass([] { return llvm::DominatorTreeAnalysis(); });
    analyses.registerPass([] { return llvm::LoopAnalysis(); });
    analyses.registerPass([] { return llvm::ScalarEvolutionAnalysis(); });
    analyses.registerPass([] { return llvm::DemandedBitsAnalysis(); });
    analyses.registerPass([] { return llvm::OptimizationRemarkEmitterAnalysis(); });
    analyses.registerPass([] { return llvm::BlockFrequencyAnalysis(); });
    analyses.registerPass([] { return llvm::BranchProbabilityAnalysis(); });
    analyses.registerPass([] { return llvm::PostDominatorTreeAnalysis(); });
    for (llvm::Function& function : module)
        if (!function.isDeclaration()) llvm::SLPVectorizerPass().run(function, analyses);
}

} // namespace vessiot::jit
