"""What a report says of a machine is what kernel and firmware say of it, and nothing where they are silent."""

from pathlib import Path

from vitcam.benchmark.facts import machine_facts
from vitcam.benchmark.heat import clock_mhz
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
