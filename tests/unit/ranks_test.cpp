// Ensembles on several processes: here threads that talk through queues, so that ranks can be lost, slow and wrong.
#include <atomic>
#include <cmath>
#include <cstring>
#include <deque>
#include <mutex>
#include <thread>

#include <gtest/gtest.h>

#include "support/refusal.hpp"
#include "vessiot/ensemble.hpp"
#include "vessiot/model.hpp"

namespace vessiot::ranks_test {
namespace {

using test::has;

constexpr const char* growth = R"(
parameter a = 1
unknown x
x' = a*x^2
start x = 1
output twice = 2*x
event half: x = 1.5
solve t = 0..1
)";

// What ranks have said to each other.
struct Post {
    explicit Post(int n) : boxes(static_cast<std::size_t>(n)) {}
    std::mutex mutex;
    std::vector<std::deque<Ranks::Message>> boxes;
    double patience = 20;
};

class QueueRanks final : public Ranks {
public:
    QueueRanks(std::shared_ptr<Post> post, int rank) : post_(std::move(post)), rank_(rank) {}

    int rank() const override { return rank_; }
    int size() const override { return static_cast<int>(post_->boxes.size()); }
    std::pair<int, int> here() const override { return {rank_, size()}; }
    void send(int to, std::string bytes) override {
        if (n_words_-- <= 0) return; // it is gone
        const std::lock_guard lock(post_->mutex);
        post_->boxes[static_cast<std::size_t>(to)].push_back({rank_, std::move(bytes)});
    }
    std::optional<Message> receive() override {
        const std::lock_guard lock(post_->mutex);
        std::deque<Message>& box = post_->boxes[static_cast<std::size_t>(rank_)];
        if (box.empty()) return std::nullopt;
        Message message = std::move(box.front());
        box.pop_front();
        return message;
    }
    double patience() const override { return post_->patience; }
    void give_up() override { is_whole_ = false; }
    bool is_whole() const override { return is_whole_; }
    // Says so much, and then nothing more.
    void fall_silent_after(int n_words) { n_words_ = n_words; }

private:
    std::shared_ptr<Post> post_;
    int rank_;
    std::atomic<int> n_words_ = 1 << 30;
    bool is_whole_ = true;
};

EnsembleOptions options_of(std::int64_t n) {
    EnsembleOptions options;
    options.vary = {Vary::linear("a", 0.1, 1.1, n)};
    options.threads = 1;
    options.reduce = {{.kind = Reduction::Kind::quantile, .levels = {0.1, 0.5}}};
    return options;
}

Problem problem_of(const char* text) {
    return Problem(Model::parse(text), SolveOptions{.throw_on_failure = false});
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

void expect_same(const EnsembleResult& a, const EnsembleResult& b) {
    EXPECT_EQ(a.members.status, b.members.status);
    EXPECT_EQ(a.members.steps, b.members.steps);
    EXPECT_TRUE(same_bits(a.members.t, b.members.t));
    EXPECT_TRUE(same_bits(a.members.varied, b.members.varied));
    EXPECT_TRUE(same_bits(a.members.values, b.members.values));
    EXPECT_EQ(a.members.row_count, b.members.row_count);
    EXPECT_EQ(a.members.row_event, b.members.row_event);
    EXPECT_EQ(a.members.messages, b.members.messages);
    ASSERT_EQ(a.statistics.size(), b.statistics.size());
    for (std::size_t k = 0; k < a.statistics.size(); ++k) {
        EXPECT_EQ(a.statistics[k].mean, b.statistics[k].mean);
        EXPECT_EQ(a.statistics[k].quantiles, b.statistics[k].quantiles);
    }
}

// Rank 0's result, or what it threw; the others run on threads, prepared by `prepare`.
struct Outcome {
    EnsembleResult result;
    std::string error;
    std::vector<std::string> errors_of_others;
    bool is_whole = true;
};
using Prepare = std::function<void(int rank, EnsembleOptions& options, QueueRanks& ranks)>;

Outcome run_ranks(int n_ranks, const EnsembleOptions& options, const Prepare& prepare = {}, double patience = 20) {
    const auto post = std::make_shared<Post>(n_ranks);
    post->patience = patience;
    Outcome outcome;
    outcome.errors_of_others.resize(static_cast<std::size_t>(n_ranks));
    const auto run = [&](int rank) {
        EnsembleOptions mine = options;
        const auto ranks = std::make_shared<QueueRanks>(post, rank);
        mine.ranks = ranks;
        if (prepare) prepare(rank, mine, *ranks);
        try {
            EnsembleResult result = problem_of(growth).ensemble(mine);
            if (rank == 0) outcome.result = std::move(result);
        } catch (const std::exception& e) {
            (rank == 0 ? outcome.error : outcome.errors_of_others[static_cast<std::size_t>(rank)]) = e.what();
        }
        if (rank == 0) outcome.is_whole = ranks->is_whole();
    };
    std::vector<std::jthread> others;
    for (int k = 1; k < n_ranks; ++k) others.emplace_back(run, k);
    run(0);
    others.clear();
    return outcome;
}

TEST(Ranks, HaveTheResultOfOneProcess) {
    for (const Record record : {Record::last, Record::all, Record::events}) {
        EnsembleOptions options = options_of(2100);
        options.record = record;
        if (record != Record::last) options.reduce.clear();
        const EnsembleResult alone = problem_of(growth).ensemble(options);
        ASSERT_GT(alone.counts[1], 0); // those that blow up
        for (const int n : {2, 3}) {
            const Outcome outcome = run_ranks(n, options);
            EXPECT_EQ(outcome.error, "");
            expect_same(outcome.result, alone);
        }
    }
}

TEST(Ranks, FewMembersAreEnough) {
    const EnsembleOptions options = options_of(2);
    expect_same(run_ranks(4, options).result, problem_of(growth).ensemble(options));
}

// Nobody misses it, but MPI must not wait for it.
TEST(Ranks, OneThatDiesWithNothingToDoIsNoticedAtTheEnd) {
    const EnsembleOptions options = options_of(2);
    const Outcome outcome = run_ranks(
        2, options,
        [](int rank, EnsembleOptions&, QueueRanks& ranks) {
            if (rank == 1) ranks.fall_silent_after(1); // hello
        },
        0.5);
    expect_same(outcome.result, problem_of(growth).ensemble(options));
    EXPECT_FALSE(outcome.is_whole);
    EXPECT_TRUE(run_ranks(2, options).is_whole);
}

TEST(Ranks, WhatASilentRankHadIsRunByOthers) {
    const EnsembleOptions options = options_of(3000);
    const EnsembleResult alone = problem_of(growth).ensemble(options);
    for (const int n_words : {1, 3}) {
        const Outcome outcome = run_ranks(
            3, options,
            [&](int rank, EnsembleOptions& mine, QueueRanks& ranks) {
                if (rank != 1) return;
                ranks.fall_silent_after(n_words);
                mine.lanes = Lanes::one;
            },
            1.5);
        EXPECT_EQ(outcome.error, "");
        expect_same(outcome.result, alone);
    }
}

TEST(Ranks, ThatAreToldToStopGiveBackWhatTheyHad) {
    const EnsembleOptions options = options_of(3000);
    const EnsembleResult alone = problem_of(growth).ensemble(options);
    const Outcome outcome = run_ranks(2, options, [](int rank, EnsembleOptions& mine, QueueRanks&) {
        if (rank == 1) mine.progress = [](const EnsembleProgress& p) { return p.done == 0; };
    });
    EXPECT_EQ(outcome.error, "");
    expect_same(outcome.result, alone);
}

TEST(Ranks, OfAnotherEnsembleAreRefused) {
    const Outcome outcome = run_ranks(2, options_of(3000), [](int rank, EnsembleOptions& mine, QueueRanks&) {
        if (rank == 1) mine.vary = {Vary::linear("a", 0.1, 1.6, 3000)};
    });
    EXPECT_TRUE(has(outcome.error, "rank 1 runs another ensemble")) << outcome.error;
    EXPECT_EQ(outcome.errors_of_others[1], "");
}

TEST(Ranks, ThatFailEndTheEnsembleAndSayWhy) {
    const Outcome outcome = run_ranks(2, options_of(3000), [](int rank, EnsembleOptions& mine, QueueRanks&) {
        if (rank == 1) mine.vary = {Vary::linear("b", 0.1, 1.6, 3)};
    });
    EXPECT_TRUE(has(outcome.error, "rank 1: 'b' is no parameter")) << outcome.error;
    EXPECT_TRUE(has(outcome.errors_of_others[1], "'b' is no parameter"));
}

TEST(Ranks, EndWithRankZero) {
    const Outcome outcome = run_ranks(3, options_of(3000), [](int rank, EnsembleOptions& mine, QueueRanks&) {
        if (rank == 0) mine.vary = {Vary::linear("b", 0.1, 1.6, 3)};
    });
    EXPECT_TRUE(has(outcome.error, "'b' is no parameter")) << outcome.error;
    EXPECT_EQ(outcome.errors_of_others[1], "");
    const Outcome gone = run_ranks(
        2, options_of(200000),
        [](int rank, EnsembleOptions& mine, QueueRanks& ranks) {
            if (rank != 0) return;
            ranks.fall_silent_after(4);
            mine.max_failures = 1; // it goes on, and ends without a word
        },
        0.3);
    EXPECT_TRUE(gone.errors_of_others[1].empty() || has(gone.errors_of_others[1], "rank 0 is gone"));
}

TEST(Ranks, StopTogetherAndKeepWhatIsDone) {
    const EnsembleOptions options = options_of(200000);
    const Outcome outcome = run_ranks(3, options, [](int rank, EnsembleOptions& mine, QueueRanks&) {
        if (rank == 0) mine.progress = [](const EnsembleProgress& p) { return p.done < 2000; };
    });
    EXPECT_EQ(outcome.error, "");
    EXPECT_EQ(outcome.result.status, MemberStatus::interrupted);
    EXPECT_GE(outcome.result.counts[0], 1000);
}

TEST(Ranks, DamagedWordsAreRefused) {
    const auto post = std::make_shared<Post>(2);
    post->boxes[0].push_back({1, "nonsense"});
    post->patience = 0.2;
    EnsembleOptions options = options_of(50000);
    options.ranks = std::make_shared<QueueRanks>(post, 0);
    EXPECT_THROW(problem_of(growth).ensemble(options), InvalidInput);
}

} // namespace
} // namespace vessiot::ranks_test
