export * from '../../../migrations/0034-index-by-bytes.ts'
