export * from '../../../migrations/0012-find-keys.ts'
