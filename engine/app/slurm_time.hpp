#pragma once

#include "engine/base/diagnostic.hpp"

#include <optional>
#include <string>

namespace tessera
{

/// Slurm's "D-HH:MM:SS", "HH:MM:SS", "MM:SS" or "SS" in s; nothing for "UNLIMITED" and the like.
std::optional<double> slurm_duration(const std::string& text);

/// A time limit as users write it, in s: "24 h", "90 min", "2 d", "300 s", or Slurm's "HH:MM:SS",
/// "D-HH", "D-HH:MM" and "D-HH:MM:SS". Throws InputError, also for what Slurm would read in minutes
/// and users in hours ("24", "24:00"), and below a minute, the least that Slurm counts.
double job_time(const std::string& text);

/// The same as Slurm writes it, "1-02:03:04".
std::string slurm_time_text(double seconds);

/// Wall-clock time that the scheduler still gives to this job, s; nothing where it has no limit.
/// Throws InputError outside a Slurm job, naming the place that asks, and EnvironmentError where
/// squeue does not answer.
std::optional<double> time_left_in_slurm_job(const SourcePlace& asked_at);

} // namespace tessera
