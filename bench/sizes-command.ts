import type { Command } from 'commander'
export function addSizesCommand(_program: Command): void {}
