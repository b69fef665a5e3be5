/*
 * A plugin of qemu-user that counts how often each block of guest code runs, between two marks that the guest sets.
 *
 * In:  argument out=FILE; the guest calls getpgid(0x7ea0000) to begin and getpgid(0x7ea0001) to end an interval. Between
 *      these, getpgid(0x7ea0100 + n) says that what its thread ran since it last said so belongs to stage n, n < 64.
 * Out: one line a block: times run, instructions in it, address, and its code as hexadecimal words. Then lines of
 *      "# stage n instructions marks" and "# thread n instructions", all instructions of the interval.
 *
 * No header of the plugin interface is packaged, so what is used of it is declared here. API is 1 for QEMU before 9,
 * whose qemu_plugin_insn_data returns a pointer, and 3 from then on, where it copies.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef API
#define API 1
#endif
#define PUBLIC __attribute__((visibility("default")))

typedef uint64_t qemu_plugin_id_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
typedef struct qemu_info qemu_info_t;
enum { NO_REGISTERS = 0 };

extern void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t, void (*)(qemu_plugin_id_t, struct qemu_plugin_tb *));
extern void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *, void (*)(unsigned, void *), int, void *);
extern void qemu_plugin_register_vcpu_syscall_cb(
    qemu_plugin_id_t, void (*)(qemu_plugin_id_t, unsigned, int64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
                               uint64_t, uint64_t, uint64_t));
extern size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *);
extern struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *, size_t);
extern uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *);
#if API < 3
extern const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *);
#else
extern size_t qemu_plugin_insn_data(const struct qemu_plugin_insn *, void *, size_t);
#endif

PUBLIC int qemu_plugin_version = API;

enum { GETPGID = 155, BEGIN = 0x7ea0000, END = 0x7ea0001, STAGE = 0x7ea0100, STAGES = 64, THREADS = 256 };

struct block {
    struct block *next;
    uint64_t address, runs;
    size_t count;
    uint32_t code[];
};

static struct block *blocks;
static bool counting;
static FILE *out;
static uint64_t ran_by[THREADS], said_by[THREADS], stages[STAGES], marks[STAGES];

/* Blocks are counted without a lock: two threads that run one at the same moment may lose a run of it. What a thread ran
   is its own count. */
static void ran(unsigned cpu, void *opaque)
{
    struct block *block = opaque;
    if (counting) {
        block->runs++;
        ran_by[cpu % THREADS] += block->count;
    }
}

static uint32_t word(const struct qemu_plugin_insn *insn)
{
    uint32_t code = 0;
#if API < 3
    memcpy(&code, qemu_plugin_insn_data(insn), sizeof code);
#else
    qemu_plugin_insn_data(insn, &code, sizeof code);
#endif
    return code;
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
    (void)id;
    const size_t count = qemu_plugin_tb_n_insns(tb);
    struct block *block = calloc(1, sizeof *block + count * sizeof block->code[0]);
    if (!block)
        abort();
    block->count = count;
    block->address = qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(tb, 0));
    for (size_t i = 0; i < count; i++)
        block->code[i] = word(qemu_plugin_tb_get_insn(tb, i));
    /* QEMU translates under a lock, so blocks come one at a time */
    block->next = blocks;
    blocks = block;
    qemu_plugin_register_vcpu_tb_exec_cb(tb, ran, NO_REGISTERS, block);
}

static void write_blocks(void)
{
    for (struct block *block = blocks; block; block = block->next) {
        if (!block->runs)
            continue;
        fprintf(out, "%" PRIu64 " %zu %" PRIx64, block->runs, block->count, block->address);
        for (size_t i = 0; i < block->count; i++)
            fprintf(out, " %08" PRIx32, block->code[i]);
        fputc('\n', out);
    }
    for (unsigned i = 0; i < STAGES; i++)
        if (stages[i])
            fprintf(out, "# stage %u %" PRIu64 " %" PRIu64 "\n", i, stages[i], marks[i]);
    for (unsigned i = 0; i < THREADS; i++)
        if (ran_by[i])
            fprintf(out, "# thread %u %" PRIu64 "\n", i, ran_by[i]);
    fflush(out);
}

static void called(qemu_plugin_id_t id, unsigned cpu, int64_t number, uint64_t mark, uint64_t b, uint64_t c, uint64_t d,
                   uint64_t e, uint64_t f, uint64_t g, uint64_t h)
{
    (void)id, (void)b, (void)c, (void)d, (void)e, (void)f, (void)g, (void)h;
    if (number != GETPGID)
        return;
    if (mark == BEGIN)
        counting = true;
    if (mark >= STAGE && mark < STAGE + STAGES && counting) {
        __atomic_fetch_add(&stages[mark - STAGE], ran_by[cpu % THREADS] - said_by[cpu % THREADS], __ATOMIC_RELAXED);
        __atomic_fetch_add(&marks[mark - STAGE], 1, __ATOMIC_RELAXED);
        said_by[cpu % THREADS] = ran_by[cpu % THREADS];
    }
    if (mark == END && counting) {
        counting = false;
        write_blocks();
    }
}

PUBLIC int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
    (void)info;
    if (argc != 1 || strncmp(argv[0], "out=", 4) != 0 || !(out = fopen(argv[0] + 4, "w"))) {
        fprintf(stderr, "insn: give one argument, out=FILE, that can be written\n");
        return 1;
    }
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    qemu_plugin_register_vcpu_syscall_cb(id, called);
    return 0;
}
