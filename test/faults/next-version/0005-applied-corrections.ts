export * from '../../../migrations/0005-applied-corrections.ts'
