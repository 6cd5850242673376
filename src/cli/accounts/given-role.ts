/** A value of the claim and its role. */
export interface GivenRole {
  value: string
  role: string
}
