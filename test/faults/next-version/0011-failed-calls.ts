export * from '../../../migrations/0011-failed-calls.ts'
