/** The URLs of the two roles: the owner migrates, the service works with least privilege. They may be the same. */
export interface DatabaseUrls {
  ownerUrl: string
  serviceUrl: string
}
