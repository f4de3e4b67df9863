#include "engine/app/slurm_script.hpp"
#include "engine/app/slurm_time.hpp"
#include "engine/app/threads.hpp"
#include "engine/base/error.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <stdlib.h>

namespace tessera
{
namespace
{

using testing::HasSubstr;
using testing::Not;

SlurmJob job_of_one_rank()
{
    SlurmJob job;
    job.command = "tessera slurm run.toml";
    job.file = "run.sbatch";
    job.name = "run";
    job.program = "/opt/tessera";
    job.folder = "/data/water";
    job.deck = "run.toml";
    job.checkpoint = "state.h5";
    job.cores = 8;
    return job;
}

TEST(JobTime, ReadsTimesWithUnitsAndSlurmsForms)
{
    EXPECT_EQ(job_time("24 h"), 86400);
    EXPECT_EQ(job_time("90min"), 5400);
    EXPECT_EQ(job_time("60 s"), 60);
    EXPECT_EQ(job_time("1.5 d"), 129600);
    EXPECT_EQ(job_time("24:00:00"), 86400);
    EXPECT_EQ(job_time("1-02:03:04"), 93784);
    EXPECT_EQ(job_time("1-02:03"), 93780);
    EXPECT_EQ(job_time("2-12"), 216000);
}

TEST(JobTime, RefusesWhatSlurmReadsInMinutesAndUsersInHours)
{
    for (const char* text : {"10 s", "0.9 min", "0 h", "00:00:59", "24", "24:00", "", "h", "soon", "-1 h", "1:2:3"}) {
        EXPECT_THROW(static_cast<void>(job_time(text)), InputError) << text;
    }
}

TEST(JobTime, IsWrittenAsSlurmReadsIt)
{
    EXPECT_EQ(slurm_time_text(93784), "1-02:03:04");
    EXPECT_EQ(slurm_time_text(59), "00:00:59");
}

TEST(ShellQuoted, LeavesPlainWordsAndHoldsBlanksAndQuotes)
{
    EXPECT_EQ(shell_quoted("a/b-c_1.toml"), "a/b-c_1.toml");
    EXPECT_EQ(shell_quoted("my run"), "'my run'");
    EXPECT_EQ(shell_quoted("it's $x"), "'it'\\''s $x'");
    EXPECT_EQ(shell_quoted(""), "''");
    EXPECT_EQ(shell_quoted("~x"), "'~x'");
}

/// Variables that a launcher sets, while this lives.
class Launched {
public:
    explicit Launched(std::map<std::string, std::string> variables)
        : variables_(std::move(variables))
    {
        for (const auto& [name, text] : variables_) {
            setenv(name.c_str(), text.c_str(), 1);
        }
    }
    ~Launched()
    {
        for (const auto& [name, text] : variables_) {
            unsetenv(name.c_str());
        }
    }
    Launched(const Launched&) = delete;
    Launched& operator=(const Launched&) = delete;

private:
    std::map<std::string, std::string> variables_;
};

TEST(TasksOfNode, ReadsTheListsOfSlurm)
{
    EXPECT_EQ(tasks_of_node("4", 0), 4);
    EXPECT_EQ(tasks_of_node("4(x2),3", 1), 4);
    EXPECT_EQ(tasks_of_node("4(x2),3", 2), 3);
    EXPECT_EQ(tasks_of_node("1,2,1", 1), 2);
    EXPECT_EQ(tasks_of_node("4(x2)", 2), 0);
}

TEST(Threads, AreSharedBetweenTheRanksOfANodeAndNotOfAll)
{
    const int alone = threads_to_use(0);
    const Launched eight({{"SLURM_STEP_NUM_TASKS", "8"},
                          {"SLURM_STEP_TASKS_PER_NODE", "1(x8)"},
                          {"SLURM_NODEID", "3"}});
    EXPECT_EQ(launched_ranks(), 8);
    EXPECT_EQ(threads_to_use(0), alone);
}

TEST(Threads, AreWhatSrunGivesToATask)
{
    const Launched one({{"SLURM_STEP_NUM_TASKS", "1"}, {"SLURM_CPUS_PER_TASK", "1"}});
    EXPECT_EQ(threads_to_use(0), 1);
}

TEST(SlurmScript, AsksForWhatTheJobNeeds)
{
    SlurmJob job = job_of_one_rank();
    job.nodes = 4;
    job.ranks_per_node = 2;
    job.gpus_per_node = 2;
    job.time = 86400;
    job.memory = "16G";
    job.account = "bio";
    job.partition = "gpu";
    job.qos = "long";
    job.options = {"--exclude=n7"};

    const std::string script = slurm_script(job);

    for (const char* line :
         {"--job-name=run", "--account=bio", "--partition=gpu", "--qos=long", "--nodes=4",
          "--ntasks-per-node=2", "--cpus-per-task=8", "--gpus-per-node=2", "--mem=16G",
          "--time=1-00:00:00", "--output=run-%j.out", "--open-mode=append", "--requeue",
          "--signal=USR1@120", "--exclude=n7"}) {
        EXPECT_THAT(script, HasSubstr(std::string("\n#SBATCH ") + line + "\n"));
    }
}

TEST(SlurmScript, GivesWholeNodesToTheirRanksWithoutCores)
{
    SlurmJob job = job_of_one_rank();
    job.cores = 0;
    job.ranks_per_node = 4;

    const std::string script = slurm_script(job);

    EXPECT_THAT(script, HasSubstr("#SBATCH --exclusive\n"));
    EXPECT_THAT(script, HasSubstr("threads=$((SLURM_CPUS_ON_NODE / 4))"));
    EXPECT_THAT(script, Not(HasSubstr("--cpus-per-task=8")));
}

TEST(SlurmScript, LetsTheProgramWatchItsTimeWhereASignalWouldComeAtTheStart)
{
    SlurmJob job = job_of_one_rank();
    job.time = 300;
    EXPECT_THAT(slurm_script(job), Not(HasSubstr("--signal")));
    job.time = 600;
    EXPECT_THAT(slurm_script(job), HasSubstr("--signal=USR1@120\n"));
    job.warning = 0;
    EXPECT_THAT(slurm_script(job), Not(HasSubstr("--signal")));
}

TEST(SlurmScript, EndsOtherRanksOnlyWhereThereAreSome)
{
    SlurmJob job = job_of_one_rank();
    EXPECT_THAT(slurm_script(job), Not(HasSubstr("--kill-on-bad-exit")));
    job.ranks_per_node = 2;
    job.mpi = "pmi2";
    EXPECT_THAT(slurm_script(job), HasSubstr("--mpi=pmi2 --kill-on-bad-exit=1"));
}

TEST(SlurmScript, KeepsAWordOfSeveralLinesOutOfTheOptions)
{
    SlurmJob job = job_of_one_rank();
    job.command = "tessera slurm 'a\n#SBATCH --account=other'";
    job.deck = "a\n#SBATCH --account=other";
    const std::string script = slurm_script(job);
    EXPECT_LT(script.find("\ncd "), script.find("\n#SBATCH --account"));
}

TEST(SlurmScript, RequeuesAReplicaByItsNumberInTheArray)
{
    SlurmJob job = job_of_one_rank();
    EXPECT_THAT(slurm_script(job), HasSubstr("scontrol requeue \"$SLURM_JOB_ID\""));
    job.array = "1-8";
    EXPECT_THAT(slurm_script(job),
                HasSubstr("scontrol requeue \"${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID\""));
}

TEST(SlurmScript, EndsWithTheProgramWhereNothingFollows)
{
    SlurmJob job = job_of_one_rank();
    job.requeue = false;
    const std::string script = slurm_script(job);
    EXPECT_THAT(script, HasSubstr("#SBATCH --no-requeue\n"));
    EXPECT_THAT(script, Not(HasSubstr("scontrol")));
}

TEST(FaultsOfASlurmJob, AreAllToldAtOnce)
{
    SlurmJob job = job_of_one_rank();
    EXPECT_TRUE(faults_of(job).empty());
    job.name = "two words";
    job.memory = "much";
    job.array = "1-8";
    job.chain = 3;
    EXPECT_EQ(faults_of(job).size(), 3U);
}

TEST(FaultsOfASlurmJob, KnowsListsOfReplicas)
{
    SlurmJob job = job_of_one_rank();
    for (const char* list : {"1-8", "0-31%4", "1,3,5", "0-10:2", "1-3,7"}) {
        job.array = list;
        EXPECT_TRUE(faults_of(job).empty()) << list;
    }
    for (const char* list : {"8", "-3", "1-", "1-8%", "%2", "a", "1-8;rm"}) {
        job.array = list;
        EXPECT_EQ(faults_of(job).size(), 1U) << list;
    }
}

} // namespace
} // namespace tessera
