export * from '../../../migrations/0013-token-scopes.ts'
