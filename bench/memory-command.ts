import type { Command } from 'commander'
export function addMemoryCommand(_program: Command): void {}
