export * from '../../../migrations/0006-undoings.ts'
