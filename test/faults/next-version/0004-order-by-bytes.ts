export * from '../../../migrations/0004-order-by-bytes.ts'
