export * from '../../../migrations/0014-index-user-names.ts'
