export { up } from '../../../migrations/0037-missing-people.ts'
