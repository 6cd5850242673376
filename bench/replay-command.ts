import type { Command } from 'commander'
export function addReplayCommand(_program: Command): void {}
