export { up } from '../../../migrations/0031-country-of-a-company.ts'
