import type { Command } from 'commander'
export function addProfileCommand(_program: Command): void {}
