export * from '../../../migrations/0003-index-by-bytes.ts'
