import { BlockList, isIP } from 'node:net'

/**
 * Link-local addresses, and those of the metadata services of cloud providers, which hand out credentials to whoever
 * asks from the same machine. IPv4 addresses that are written as IPv6 are covered.
 */
const CLOSED = new BlockList()
CLOSED.addSubnet('169.254.0.0', 16, 'ipv4')
CLOSED.addSubnet('fe80::', 10, 'ipv6')
// The same, behind NAT64 and 6to4.
CLOSED.addSubnet('64:ff9b::a9fe:0', 112, 'ipv6')
CLOSED.addSubnet('2002:a9fe::', 32, 'ipv6')
// Azure, Alibaba Cloud, AWS, and Google Cloud.
CLOSED.addAddress('168.63.129.16', 'ipv4')
CLOSED.addAddress('100.100.100.200', 'ipv4')
CLOSED.addAddress('fd00:ec2::254', 'ipv6')
CLOSED.addAddress('fd20:ce::254', 'ipv6')

/** Whether an IP address must never be reached, even if private addresses are allowed. False for a name. */
export function isClosedAddress(address: string): boolean {
  const family = isIP(address)
  return family !== 0 && CLOSED.check(address, family === 6 ? 'ipv6' : 'ipv4')
}
