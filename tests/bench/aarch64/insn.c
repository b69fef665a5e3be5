/*
 * A plugin of qemu-user that counts how often each block of guest code runs, between two marks that the guest sets.
 *
 * In:  argument out=FILE; the guest calls getpgid(0x7ea0000) to begin and getpgid(0x7ea0001) to end an interval.
 * Out: one line a block: times run, instructions in it, address, and its code as hexadecimal words.
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

enum { GETPGID = 155, BEGIN = 0x7ea0000, END = 0x7ea0001 };

struct block {
    struct block *next;
    uint64_t address, runs;
    size_t count;
    uint32_t code[];
};

static struct block *blocks;
static bool counting;
static FILE *out;

static void ran(unsigned cpu, void *block)
{
    (void)cpu;
    if (counting)
        ((struct block *)block)->runs++;
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
    fflush(out);
}

static void called(qemu_plugin_id_t id, unsigned cpu, int64_t number, uint64_t mark, uint64_t b, uint64_t c, uint64_t d,
                   uint64_t e, uint64_t f, uint64_t g, uint64_t h)
{
    (void)id, (void)cpu, (void)b, (void)c, (void)d, (void)e, (void)f, (void)g, (void)h;
    if (number != GETPGID)
        return;
    if (mark == BEGIN)
        counting = true;
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
