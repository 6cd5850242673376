export * from '../../../migrations/0009-index-user-names.ts'
