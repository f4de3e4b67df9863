#pragma once

#include "engine/base/diagnostic.hpp"

#include <optional>
#include <string>

namespace tessera
{

/// Slurm's "D-HH:MM:SS", "HH:MM:SS", "MM:SS" or "SS" in s; nothing for "UNLIMITED" and the like.
std::optional<double> slurm_duration(const std::string& text);

/// Wall-clock time that the scheduler still gives to this job, s; nothing where it has no limit.
/// Throws InputError outside a Slurm job, naming the place that asks, and EnvironmentError where
/// squeue does not answer.
std::optional<double> time_left_in_slurm_job(const SourcePlace& asked_at);

} // namespace tessera
