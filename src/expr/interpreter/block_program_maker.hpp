// Turns a loop into the steps of a BlockProgram.
#pragma once

#include "expr/interpreter/block_program.hpp"

namespace vessiot::expr {

template <class S> class BlockProgramMaker {
public:
    BlockProgramMaker(const Kernel& kernel, const Loop& loop, BlockProgram<S>& program)
        : kernel_(kernel), loop_(loop), program_(program) {}

    void make();

private:
    using Access = typename BlockProgram<S>::Access;
    using Step = typename BlockProgram<S>::Step;

    void make_accesses();
    Access make_access(std::uint32_t k);
    std::vector<std::int32_t> written_out(std::uint32_t k) const;
    void find_live();
    void find_uniform();
    void make_steps();
    void add_value(std::uint32_t v);
    bool has_direct_store(std::uint32_t v) const;
    void add_stores_of(std::uint32_t v, bool first_is_direct);
    std::uint32_t new_slot();
    void free_operands(std::uint32_t v);
    void choose_block_size();

    template <class Visit> void for_operands(std::uint32_t v, Visit visit) const {
        const Instruction& i = loop_.body[v];
        if (arity(i.op) > 0) visit(i.a);
        if (arity(i.op) > 1) visit(i.b);
        if (arity(i.op) > 2) visit(i.c);
    }

    const Kernel& kernel_;
    const Loop& loop_;
    BlockProgram<S>& program_;
    std::vector<std::uint32_t> last_use_; // of values: by which value; 0: never
    std::vector<bool> live_, uniform_;
    std::vector<std::vector<std::uint32_t>> stores_of_; // of values
    std::vector<std::uint32_t> reduction_of_;           // of stores
    std::vector<std::uint32_t> free_slots_;
};

extern template class BlockProgramMaker<double>;
extern template class BlockProgramMaker<Quad>;

} // namespace vessiot::expr
