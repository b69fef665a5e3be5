"""What a Linux on a Raspberry Pi 5 says of its processor, for an emulated one."""

CORES = 4
_CPUINFO = (
    "processor\t: {core}\nBogoMIPS\t: 108.00\n"
    "Features\t: fp asimd evtstrm aes pmull sha1 sha2 crc32 atomics fphp asimdhp cpuid asimdrdm lrcpc dcpop asimddp\n"
    "CPU implementer\t: 0x41\nCPU architecture: 8\nCPU variant\t: 0x4\nCPU part\t: 0xd0b\nCPU revision\t: 1\n\n"
)


def processor() -> dict[str, str]:
    """Files below / that say: four Cortex-A76. Without them XNNPACK reads this machine's, and crashes on them."""
    files = {"proc/cpuinfo": "".join(_CPUINFO.format(core=core) for core in range(CORES))}
    cpus, every = "sys/devices/system/cpu", f"0-{CORES - 1}"
    files |= {f"{cpus}/{name}": every for name in ("possible", "present", "online")}
    files[f"{cpus}/kernel_max"] = str(CORES - 1)
    for core in range(CORES):
        topology, frequency = f"{cpus}/cpu{core}/topology", f"{cpus}/cpu{core}/cpufreq"
        alone = ("core_id", "thread_siblings_list", "core_cpus_list")
        files |= {f"{topology}/{name}": str(core) for name in alone}
        files |= {f"{topology}/{name}": "0" for name in ("physical_package_id", "cluster_id")}
        together = ("core_siblings_list", "package_cpus_list", "cluster_cpus_list")
        files |= {f"{topology}/{name}": every for name in together}
        files |= {f"{frequency}/cpuinfo_max_freq": "2400000", f"{frequency}/cpuinfo_min_freq": "1500000"}
    return files
