"""A Slurm of one node on this machine, for tests: slurmctld and slurmd on the loopback, without munge and accounting.

The programs are Debian's packages slurmctld, slurmd and slurm-client (22.05). They run as the user who calls, in a folder
of their own; the node claims four cores, however many there are. Jobs of partition main pre-empt those of partition spare.
"""
import os
import pathlib
import shutil
import socket
import subprocess
import time

PROGRAMS = ("slurmctld", "slurmd", "sbatch", "srun", "scontrol", "squeue", "scancel", "sinfo")
CONFIGURATION = """ClusterName=test
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/none
CredType=cred/none
MpiDefault=none
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SwitchType=switch/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=1,bf_interval=1,batch_sched_delay=0
KillWait=10
MinJobAge=300
SlurmdParameters=config_overrides
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
NodeName=localhost NodeHostname={host} NodeAddr=127.0.0.1 CPUs=4 State=UNKNOWN
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP PriorityTier=2 PreemptMode=OFF
PartitionName=spare Nodes=ALL MaxTime=INFINITE State=UP PriorityTier=1 PreemptMode=REQUEUE
"""


def environment():
    """What the daemons are found with: administrators' folders are not on every user's PATH."""
    return dict(os.environ, PATH=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")


def missing():
    """Why no Slurm can be started here; empty: it can."""
    path = environment()["PATH"]
    lacking = [name for name in PROGRAMS if shutil.which(name, path=path) is None]
    if lacking:
        return "no %s on PATH; apt-get install slurmctld slurmd slurm-client" % ", ".join(lacking)
    return "" if os.geteuid() == 0 else "slurmd wants to be root"


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    try:
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]
    finally:
        for one in sockets:
            one.close()


class Slurm:
    """Started on entry of `with`, ended on exit."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder).resolve()
        self.environment = dict(environment(), SLURM_CONF=str(self.folder / "slurm.conf"))
        self.daemons = []

    def __enter__(self):
        for name in ("state", "spool"):
            (self.folder / name).mkdir(parents=True)
        (self.folder / "slurm.conf").write_text(CONFIGURATION.format(
            ports=free_ports(2), user="root", folder=self.folder, host=socket.gethostname().split(".")[0]))
        try:
            for command in (["slurmctld", "-D"], ["slurmd", "-D", "-N", "localhost"]):
                log = open(self.folder / (command[0] + ".out"), "w")
                self.daemons.append(subprocess.Popen(command, env=self.environment, stdin=subprocess.DEVNULL,
                                                     stdout=log, stderr=log))
                log.close()
            self.wait(lambda: self.call("sinfo", "-h", "-o", "%T").stdout.strip() == "idle", 60, "the node is not idle")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for daemon in reversed(self.daemons):
            daemon.terminate()
            try:
                daemon.wait(20)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()

    def call(self, *words, cwd=None):
        return subprocess.run([str(w) for w in words], env=self.environment, cwd=cwd, capture_output=True, text=True, timeout=60)

    def wait(self, done, seconds, what):
        end = time.monotonic() + seconds
        while not done():
            if time.monotonic() > end:
                raise AssertionError("%s after %d s; %s" % (what, seconds, self.call("squeue", "-a").stdout))
            time.sleep(0.2)

    def jobs(self):
        """State of each job (task of an array) that Slurm remembers, by its number, with its exit status."""
        out = {}
        for line in self.call("scontrol", "-o", "show", "job").stdout.splitlines():
            fields = dict(word.split("=", 1) for word in line.split() if "=" in word)
            number = fields.get("JobId")
            if "ArrayTaskId" in fields:
                number = "%s_%s" % (fields["ArrayJobId"], fields["ArrayTaskId"])
            out[number] = (fields["JobState"], int(fields["ExitCode"].split(":")[0]), int(fields["Restarts"]))
        return out

    def start_waiting_now(self):
        """A job that was put back waits two minutes for its turn, for the sake of broken nodes: not here."""
        for number, (state, _, restarts) in self.jobs().items():
            if state == "PENDING" and restarts > 0:
                self.call("scontrol", "update", "JobId=" + number, "StartTime=now")
