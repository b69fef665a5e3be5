"""What a report says of a machine is what kernel and firmware say of it, and nothing where they are silent."""

from pathlib import Path

from vitcam.benchmark.report import MachineHealth, clock_mhz, health_of, machine_facts
from vitcam.machine import Machine


def write(root: Path, path: str, text: str) -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text)


def test_a_pi_is_told_by_board_core_and_memory(tmp_path: Path) -> None:
    write(tmp_path, "proc/device-tree/model", "Raspberry Pi 5 Model B Rev 1.0\0")
    write(tmp_path, "proc/cpuinfo", "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd0b\n")
    write(tmp_path, "proc/meminfo", "MemTotal:        8388608 kB\n")
    facts = machine_facts(Machine({}, tmp_path))

    assert facts["board"] == "Raspberry Pi 5 Model B Rev 1.0"
    assert facts["processor"] == "ARM part 0xd0b"
    assert facts["memory"] == "8.0 GiB"


def test_what_the_kernel_does_not_say_is_left_out(tmp_path: Path) -> None:
    facts = machine_facts(Machine({}, tmp_path))

    assert not {"board", "processor", "memory"} & set(facts)
    assert clock_mhz(tmp_path) is None


def test_the_clock_is_that_of_the_fastest_core(tmp_path: Path) -> None:
    for core, khz in enumerate(("1500000\n", "2400000\n", "garbage")):
        write(tmp_path, f"sys/devices/system/cpu/cpu{core}/cpufreq/scaling_cur_freq", khz)

    assert clock_mhz(tmp_path) == 2400


def test_temperature_and_throttling_are_read_as_the_doctor_reads_them(tmp_path: Path) -> None:
    write(tmp_path, "proc/device-tree/model", "Raspberry Pi 5 Model B Rev 1.0\0")
    write(tmp_path, "sys/class/thermal/thermal_zone0/temp", "61200\n")
    write(tmp_path, "sys/devices/platform/soc@0/soc@0:firmware/get_throttled", "40004\n")

    assert health_of(Machine({}, tmp_path)) == MachineHealth(61.2, ["throttled"], ["throttled"])
