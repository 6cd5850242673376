export * from '../../../migrations/0007-limits-of-keys.ts'
