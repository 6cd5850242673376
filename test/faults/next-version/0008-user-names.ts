export * from '../../../migrations/0008-user-names.ts'
