export * from '../../../migrations/0015-upload-pieces.ts'
