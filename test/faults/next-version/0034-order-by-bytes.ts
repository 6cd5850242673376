export * from '../../../migrations/0034-order-by-bytes.ts'
